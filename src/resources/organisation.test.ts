// The organisation through HTTP: what can be changed, what cannot, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'

const { organisation } = await startTestService()

test('reads with its defaults', async () => {
  const shop = await organisation({ name: 'Harbour Repairs' })
  const { status, body } = await shop.get('')
  assert.equal(status, 200)
  const { id, name, currency, timeZone, locale, quoteNumberPrefix, invoiceDueDays, entitlement, trialEndsAt } =
    body.data
  assert.deepEqual(
    [id, name, currency, timeZone, locale],
    [shop.orgId, 'Harbour Repairs', 'GBP', 'Europe/London', 'en-GB'],
  )
  assert.deepEqual([quoteNumberPrefix, invoiceDueDays, entitlement, trialEndsAt], ['Q-', 14, 'pro', null])
})

test('changes what is given', async () => {
  const shop = await organisation()
  const change = {
    name: 'New',
    timeZone: 'Pacific/Auckland',
    locale: 'de-CH',
    currency: 'CHF',
    website: 'https://new.example',
    quoteNumberPrefix: '',
    quoteValidDays: 0,
  }
  const { status, body } = await shop.put('', change)
  assert.equal(status, 200)
  for (const [field, value] of Object.entries(change)) assert.equal(body.data[field], value, field)
})

test('refuses by name', async () => {
  const shop = await organisation()
  const refusals: [object, string][] = [
    [{ timeZone: 'Mars/One' }, 'timeZone must be an IANA time zone'],
    [{ timeZone: '+01:00' }, 'timeZone must be an IANA time zone'],
    [{ timeZone: 'AET' }, 'timeZone must be an IANA time zone'],
    [{ locale: `en-${'x-aaaaaaaa-'.repeat(9)}a` }, 'locale must be at most 35 characters'],
    [{ currency: 'XYZ' }, 'currency must be an ISO 4217 currency code such as GBP'],
    [{ locale: '!!' }, 'locale must be a language tag such as en-GB'],
    [{ website: 'http://a.example' }, 'website must be an https address'],
    [{ logoUrl: 'javascript:alert(1)' }, 'logoUrl must be an https address'],
    [{ invoiceDueDays: 366 }, 'invoiceDueDays must be at most 365'],
    [{ invoiceDueDays: 1.5 }, 'invoiceDueDays must be an integer'],
    [{ invoiceDueDays: '5' }, 'invoiceDueDays must be an integer'],
    [{ quoteNumberPrefix: 'Q Q' }, 'quoteNumberPrefix must match ^[A-Za-z0-9/_-]*$'],
    [{ name: null }, 'name must be a string'],
    [{ entitlement: 'pro' }, 'At least one updatable field is required'],
  ]
  for (const [change, reason] of refusals) {
    const { status, body } = await shop.put('', change)
    assert.deepEqual([status, body.error], [400, reason])
  }
})

test('cannot be deleted: there is no such operation', async () => {
  const shop = await organisation()
  const { status, body } = await shop.delete('')
  assert.deepEqual([status, body.code, body.requiredScopes], [404, undefined, undefined])
  assert.equal((await shop.get('')).status, 200)
})
