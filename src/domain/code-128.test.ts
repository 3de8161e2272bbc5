// Code 128 against published vectors, and read back by a decoder that knows nothing of the encoder.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { code128Bars, code128Values } from './code-128.ts'

test('check symbols are the published ones', () => {
  // "Wikipedia" in code set B has the check symbol 88; digits are paired in code set C.
  assert.deepEqual(code128Values('Wikipedia'), [104, 55, 73, 75, 73, 80, 69, 68, 73, 65, 88, 106])
  assert.deepEqual(code128Values('1234'), [105, 12, 34, 82, 106])
  assert.deepEqual(code128Values('8719323020019')!.slice(0, -2), [105, 87, 19, 32, 30, 20, 1, 100, 25])
})

test('the bars of a known label are as printed', () => {
  const { bars, width } = code128Bars('A')!
  // Start B 211214, A 111323, check (104 + 33) mod 103 = 34: 131123, stop 2331112.
  assert.equal(width, 11 * 3 + 13)
  const elements = bars.flatMap(({ at, width: wide }, index) => {
    const next = bars[index + 1]
    return next ? [wide, next.at - at - wide] : [wide]
  })
  assert.equal(elements.join(''), '2112141113231311232331112')
})

test('every symbol is eleven modules with an even number of black ones, and no two are alike', () => {
  const seen = new Set<string>()
  for (let code = 32; code < 127; code++) {
    const { bars } = code128Bars(String.fromCharCode(code))!
    const symbol = bars.filter(({ at }) => at >= 11 && at < 22)
    assert.equal(symbol.reduce((sum, { width }) => sum + width, 0) % 2, 0)
    seen.add(JSON.stringify(symbol))
  }
  assert.equal(seen.size, 95)
})

test('whatever can be printed is read back', () => {
  const text = fc.oneof(
    fc.string({
      unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
      minLength: 1,
      maxLength: 40,
    }),
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 30 }),
  )
  fc.assert(fc.property(text, (given) => assert.equal(decode(code128Values(given)!), given)))
})

test('what has no bars has none', () => {
  for (const text of ['', 'Größe', 'a\nb', '日本', 'x'.repeat(81)]) assert.equal(code128Bars(text), undefined)
})

/** As a scanner does it, one symbol after the other. */
function decode(values: readonly number[]): string {
  const data = values.slice(0, -2)
  assert.equal(data.reduce((sum, value, place) => sum + value * (place || 1), 0) % 103, values.at(-2))
  assert.equal(values.at(-1), 106)
  let set = data[0] === 105 ? 'C' : 'B'
  let text = ''
  for (const value of data.slice(1)) {
    if (set === 'C' && value === 100) set = 'B'
    else text += set === 'C' ? String(value).padStart(2, '0') : String.fromCharCode(value + 32)
  }
  return text
}
