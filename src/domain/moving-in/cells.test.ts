// Cells as other systems write them: every trap that files are known for, with what is made of it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readAmount, readPercent, showsDecimalComma } from './amounts.ts'
import { expandExponent, guardFormula, squeeze, tidyCell } from './cells.ts'
import { joinAddress, phoneKey, splitName, splitPhones, splitValues } from './contacts.ts'
import { decideOrder, lookAtDate, noDateFacts, readDate, toInstant } from './dates.ts'

describe('a cell', () => {
  for (const [raw, value] of [
    ['\ufeffFirst name', 'First name'],
    ['="00123"', '00123'],
    ['=""', ''],
    [' - ', ''],
    ['N/A', ''],
    ['none', ''],
    ['0000-00-00 00:00:00', ''],
    ["'+44 7700", '+44 7700'],
    ["O'Neil", "O'Neil"],
    ['two\r\nlines', 'two\nlines'],
    ['nul\u0000 and \ud800half', 'nul and \ufffdhalf'],
  ] as const)
    test(`${JSON.stringify(raw)} is ${JSON.stringify(value)}`, () => assert.equal(tidyCell(raw).value, value))

  test('a number in exponent form is written out if all digits are there, and lost if not', () => {
    assert.deepEqual(['4.12345678E+08', '4.12346E+08', '412345678', '4E+00'].map(expandExponent), [
      '412345678',
      undefined,
      '412345678',
      '4',
    ])
  })

  test('what would be reckoned is guarded on the way out, and comes back', () => {
    for (const text of ['=1+1', '+44 7700', '-5', '@home']) {
      assert.equal(guardFormula(text), `'${text}`)
      assert.equal(tidyCell(guardFormula(text)).value, text)
    }
    assert.equal(guardFormula('a=b'), 'a=b')
  })

  test('names of columns are compared by letters and digits', () => {
    assert.deepEqual(['*Contact Name', 'Job #', 'E-mail 1 - Value', 'Total ($)'].map(squeeze), [
      'contactname',
      'jobnumber',
      'email1value',
      'total',
    ])
  })
})

describe('an amount', () => {
  for (const [text, value] of [
    ['$1,234.50', 1234.5],
    ['(12.00)', -12],
    ['1.234,56', 1234.56],
    ['1.234,56 €', 1234.56],
    ["CHF 1'234.50", 1234.5],
    ['1 234,50', 1234.5],
    ['-$5', -5],
    ['5-', -5],
    ['1,234', 1234],
    ['1,5', 1.5],
    ['0,125', 0.125],
    ['1.234.567', 1234567],
    ['.50', 0.5],
    ['1.5E+3', 1500],
    ['12 %', 12],
    ['call us', undefined],
    ['12 or 13', undefined],
    ['1,23,4', undefined],
    ['', undefined],
  ] as const)
    test(`${text} is ${value}`, () => assert.equal(readAmount(text), value))

  test('where the column has commas before the cents, a point separates thousands', () => {
    assert.deepEqual(['12,50', '1.234,56', '1,234', '1234'].map(showsDecimalComma), [true, true, false, false])
    assert.equal(readAmount('1.234', { hasDecimalComma: true }), 1234)
    assert.equal(readAmount('1.234'), 1.234)
  })

  test('a rate stands alone or in brackets behind its name', () => {
    assert.deepEqual(['KS-Johnson (8.975%)', '20', '20 %', '7,7%', 'exempt'].map(readPercent), [
      8.975,
      20,
      20,
      7.7,
      undefined,
    ])
  })
})

describe('a day', () => {
  const read = (text: string, order: 'dmy' | 'mdy' = 'dmy') => {
    const date = readDate(text, order)
    return date && toInstant(date, 'Europe/London')
  }
  for (const [text, instant] of [
    ['2026-04-03', '2026-04-02T23:00:00.000Z'],
    ['2026-12-01 10:37:22', '2026-12-01T10:37:00.000Z'],
    ['2022-03-24T10:00:00-05:00', '2022-03-24T15:00:00.000Z'],
    ['Nov 19, 2025', '2025-11-19T00:00:00.000Z'],
    ['Aug 09, 2026 (03:15 PM)', '2026-08-09T14:15:00.000Z'],
    ['09 Aug, 2026', '2026-08-08T23:00:00.000Z'],
    ['3/12/2025 9:05 AM', '2025-12-03T09:05:00.000Z'],
    ['03.12.25', '2025-12-03T00:00:00.000Z'],
    ['12/31/1999', undefined],
    ['31/02/2026', undefined],
    ['tomorrow', undefined],
    ['2026-04-03 25:00', undefined],
  ] as const)
    test(`${text} is ${instant}`, () => assert.equal(read(text), instant))
  test('the order says which is the day, but not where points stand', () => {
    assert.deepEqual(
      [read('3/12/2025', 'mdy')?.slice(0, 10), read('03.12.2025', 'mdy')?.slice(0, 10)],
      ['2025-03-12', '2025-12-03'],
    )
  })

  const decide = (...values: string[]) => decideOrder(values.reduce(lookAtDate, noDateFacts))
  test('a column decides by its values, says nothing, or contradicts itself', () => {
    assert.equal(decide('03/04/2026', '25/04/2026'), 'dmy')
    assert.equal(decide('03/04/2026', '04/25/2026'), 'mdy')
    assert.equal(decide('03/04/2026'), undefined)
    assert.equal(decide('25/04/2026', '04/25/2026'), undefined)
    for (const nonsense of ['99/99/2026', '31/02/2026', '02/31/2026', '13/13/2026'])
      assert.equal(decide('03/04/2026', nonsense), undefined, `${nonsense} is no day, and decides nothing`)
    assert.equal(decide('05/05/2026', '2026-01-02', 'Nov 1, 2025', '03.04.2026'), 'any')
  })
})

describe('a contact', () => {
  test('several in a cell are several', () => {
    assert.deepEqual(splitValues('a@x.example ::: b@x.example, c@x.example;a@x.example'), [
      'a@x.example',
      'b@x.example',
      'c@x.example',
    ])
    assert.deepEqual(splitPhones('(412) 555-0100; +1 412 555 0101'), ['(412) 555-0100', '+1 412 555 0101'])
  })
  test('a phone number is the same in every spelling', () => {
    assert.equal(phoneKey('+44 7700 900123'), phoneKey('07700-900123'))
    assert.equal(phoneKey('(412) 555-0100 ext. 7'), phoneKey('+1 412 555 0100'))
    assert.equal(phoneKey('123'), undefined)
  })
  test('a name is split, a firm is not turned around', () => {
    assert.deepEqual(splitName('Amara Ngozi Okafor'), { firstName: 'Amara', lastName: 'Ngozi Okafor' })
    assert.deepEqual(splitName('Okafor, Amara'), { firstName: 'Amara', lastName: 'Okafor' })
    assert.equal(splitName('Smith, Jones & Co').firstName, 'Smith,')
  })
  test('an address is written as on a letter', () => {
    assert.equal(
      joinAddress({ street: '12 Mill Lane', city: 'Leeds', postalCode: 'LS1 4AP' }),
      '12 Mill Lane\nLeeds LS1 4AP',
    )
    assert.equal(joinAddress({}), undefined)
  })
})
