// Money, dates and paper as the organisation's locale has them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printDocument } from '../../test/print-documents.ts'
import { formatOf } from './format.ts'

const formatIn = (locale: string, currency: string, timeZone = 'UTC') =>
  formatOf(printDocument({ currency, organisation: { locale, timeZone } }))
/** Narrow and no-break spaces are the locale's affair. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ').replace(/[\u200e\u200f\u061c]/g, '')

test('money has the decimals of its currency and the signs of its locale', () => {
  const cases = [
    ['en-GB', 'GBP', 1234.5, '£1,234.50'],
    ['en-US', 'USD', -20, '-$20.00'],
    ['de-DE', 'EUR', 1234.5, '1.234,50 €'],
    ['fr-FR', 'EUR', 1234.5, '1 234,50 €'],
    ['en-GB', 'JPY', 1101, 'JP¥1,101'],
    ['ja-JP', 'JPY', 1101, '￥1,101'],
    ['en-GB', 'KWD', 1.5, 'KWD 1.500'],
    ['ar-EG', 'KWD', 1.5, '١٫٥٠٠ د.ك.'],
    ['pl-PL', 'PLN', 12345.6, '12 345,60 zł'],
  ] as const
  for (const [locale, currency, amount, expected] of cases)
    assert.equal(plain(formatIn(locale, currency).money(amount)), expected)
})

test('nothing is not less than nothing', () => assert.equal(formatIn('en-GB', 'GBP').money(-0), '£0.00'))

test('a unit price keeps up to four decimals and no fewer than its currency has', () => {
  assert.equal(formatIn('en-GB', 'GBP').price(0.3333), '£0.3333')
  assert.equal(formatIn('en-GB', 'GBP').price(2), '£2.00')
  assert.equal(plain(formatIn('ja-JP', 'JPY').price(333.5)), '￥333.5')
  assert.equal(plain(formatIn('en-GB', 'KWD').price(2)), 'KWD 2.000')
})

test('quantities and rates show what was written and no more', () => {
  const { quantity, percent } = formatIn('de-DE', 'EUR')
  assert.deepEqual([1, 1.25, 0.0001, 1000000].map(quantity), ['1', '1,25', '0,0001', '1.000.000'])
  assert.deepEqual([20, 14.975, 0].map(percent).map(plain), ['20 %', '14,975 %', '0 %'])
})

test('a day is the day in the organisation’s own zone', () => {
  const lateEvening = '2026-11-15T23:30:00.000Z'
  assert.equal(formatIn('en-GB', 'GBP', 'Europe/London').date(lateEvening), '15 November 2026')
  assert.equal(formatIn('en-GB', 'GBP', 'Asia/Tokyo').date(lateEvening), '16 November 2026')
  assert.equal(formatIn('en-US', 'USD', 'America/New_York').date(lateEvening), 'November 15, 2026')
  assert.equal(formatIn('de-DE', 'EUR', 'Europe/Berlin').date(lateEvening), '16. November 2026')
  assert.equal(formatIn('de-DE', 'EUR', 'Europe/Berlin').isoDay(lateEvening), '2026-11-16')
})

test('direction and paper follow the locale', () => {
  const cases = [
    ['en-GB', 'ltr', 'A4'],
    ['en', 'ltr', 'A4'],
    ['en-US', 'ltr', 'LETTER'],
    ['fr-CA', 'ltr', 'LETTER'],
    ['es-MX', 'ltr', 'LETTER'],
    ['ar', 'rtl', 'A4'],
    ['he-IL', 'rtl', 'A4'],
    ['fa-IR', 'rtl', 'A4'],
    ['uz-Arab', 'rtl', 'A4'],
    ['az', 'ltr', 'A4'],
  ] as const
  for (const [locale, direction, paper] of cases) {
    const format = formatIn(locale, 'EUR')
    assert.deepEqual([format.direction, format.paperSize], [direction, paper], locale)
  }
})

test('a locale or zone this runtime does not know still gives a document', () => {
  assert.equal(formatIn('not a locale', 'GBP', 'Mars/One').money(1), '£1.00')
})
