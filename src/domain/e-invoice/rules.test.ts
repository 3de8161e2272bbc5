// E-invoices before the official judges: the Schematron rules of EN 16931 and the schemas of Factur-X and UBL. The rules of
// Peppol and XRechnung are in `published-rules.test.ts`.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { XmlDocument, XsdValidator } from 'libxml2-wasm'
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs'
import { anySource, sourceInvoice } from '../../../test/e-invoices.ts'
import { ublValidator } from '../../../test/ubl-schema.ts'
import { ciiXml } from './cii.ts'
import { type EInvoice, judgeEInvoice } from './e-invoice.ts'
import type { SourceInvoice } from './source.ts'
import { ublXml } from './ubl.ts'

const folder = process.env.EN16931_RULES ?? ''
const hasRules = existsSync(join(folder, 'EN16931-UBL-1.3.16.sef.json.gz'))
const skip = hasRules ? false : 'EN16931_RULES names no folder with the official rules'
/** Each takes most of a second: a few always, many when somebody asks for it. */
const numRuns = Number(process.env.EN16931_RUNS ?? 3)

const eInvoiceOf = (source: SourceInvoice, format: EInvoice['format']): EInvoice => {
  const judged = judgeEInvoice(source, format)
  assert.ok('eInvoice' in judged, JSON.stringify(judged))
  return judged.eInvoice
}

const rulesOf = async (syntax: 'UBL' | 'CII') => {
  const { default: saxon } = await import('saxon-js')
  const stylesheet = gunzipSync(readFileSync(join(folder, `EN16931-${syntax}-1.3.16.sef.json.gz`))).toString()
  return (xml: string): string[] => {
    const { principalResult } = saxon.transform({
      stylesheetText: stylesheet,
      sourceText: xml,
      destination: 'serialized',
    })
    const failures = [...principalResult.matchAll(/<svrl:failed-assert[^>]*?>[\s\S]*?<\/svrl:failed-assert>/g)]
    // The rule's number and sentence, without its test.
    return failures.map(([text]) =>
      text
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
  }
}

describe('the official rules', { skip }, () => {
  test('take every invoice in UBL', async () => {
    const failures = await rulesOf('UBL')
    fc.assert(
      fc.property(anySource, fc.constantFrom('ubl' as const, 'xrechnung' as const), (source, format) =>
        assert.deepEqual(failures(ublXml(eInvoiceOf(source, format))), []),
      ),
      { numRuns, endOnFailure: true },
    )
    // They are really asked.
    const wrong = ublXml(eInvoiceOf(sourceInvoice(), 'ubl')).replace(/(<cbc:PayableAmount[^>]*>)120/, '$1121')
    assert.match(failures(wrong).join(), /BR-CO-16/)
  })

  test('take every invoice in CII', async () => {
    const failures = await rulesOf('CII')
    fc.assert(
      fc.property(anySource, (source) => assert.deepEqual(failures(ciiXml(eInvoiceOf(source, 'factur-x'))), [])),
      { numRuns, endOnFailure: true },
    )
  })
})

test('the schema of Factur-X takes every invoice', () => {
  xmlRegisterFsInputProviders()
  const path = fileURLToPath(new URL('../../../test/factur-x/Factur-X_1.07.3_EN16931.xsd', import.meta.url))
  const schema = XmlDocument.fromString(readFileSync(path, 'utf8'), { url: path })
  const validator = XsdValidator.fromDoc(schema)
  fc.assert(
    fc.property(anySource, (source) => {
      const xml = XmlDocument.fromString(ciiXml(eInvoiceOf(source, 'factur-x')))
      try {
        validator.validate(xml)
      } finally {
        xml.dispose()
      }
    }),
    { numRuns: 50 },
  )
  validator.dispose()
  schema.dispose()
})

describe('the schema of UBL', () => {
  const validator = ublValidator()
  const judge = (text: string) => {
    const xml = XmlDocument.fromString(text)
    try {
      validator.validate(xml)
    } finally {
      xml.dispose()
    }
  }

  test('takes every invoice', () => {
    fc.assert(
      fc.property(anySource, fc.constantFrom('ubl' as const, 'xrechnung' as const), (source, format) =>
        judge(ublXml(eInvoiceOf(source, format))),
      ),
      { numRuns: 100, endOnFailure: true },
    )
  })

  const right = ublXml(eInvoiceOf(sourceInvoice({ discount: { type: 'fixed', value: 1 } }), 'ubl'))
  const wrong: readonly [what: string, find: RegExp, replace: string, problem: RegExp][] = [
    [
      'another order',
      /(<cbc:CityName>.*?<\/cbc:CityName>)(<cbc:PostalZone>.*?<\/cbc:PostalZone>)/,
      '$2$1',
      /CityName': This element is not expected/,
    ],
    [
      'an element that is not there',
      /<cbc:ChargeIndicator>false<\/cbc:ChargeIndicator>/,
      '',
      /AllowanceChargeReasonCode': This element is not expected.*ChargeIndicator/,
    ],
    ['one too many', /(<cbc:DueDate>.*?<\/cbc:DueDate>)/, '$1$1', /DueDate': This element is not expected/],
    ['a stranger', /<cbc:CityName>/, '<cbc:Town>1</cbc:Town><cbc:CityName>', /Town': This element is not expected/],
    ['one of another namespace', /(<\/?)cac(:Country>)/g, '$1cbc$2', /Country': This element is not expected/],
    ['children where there are none', /<cbc:ID>INV-0042</, '<cbc:ID><cbc:ID>1</cbc:ID><', /ID': Element content/],
    ['text between elements', /<cac:Country>/, '<cac:Country>England', /Country': Character content/],
    ['an amount that is none', /(<cbc:PayableAmount[^>]*>)/, '$11e', /'1e/],
    ['an amount without its currency', /(<cbc:PayableAmount)[^>]*>/, '$1>', /'currencyID' is required/],
    ['an attribute that nobody knows', /<cbc:DueDate>/, '<cbc:DueDate format="102">', /'format' is not allowed/],
    ['an attribute of what holds others', /<cac:Country>/, '<cac:Country listID="1">', /'listID' is not allowed/],
    ['a day that is none', /<cbc:DueDate>2026-11/, '<cbc:DueDate>2026-13', /DueDate': '2026-13/],
    ['a text without a word', /(<cbc:CityName>)[^<]*/, '$1 ', /CityName': .*not accepted by the pattern/],
  ]
  for (const [what, find, replace, problem] of wrong)
    test(`notices ${what}`, () => {
      assert.match(right, find)
      assert.throws(() => judge(right.replace(find, replace)), problem)
    })
})
