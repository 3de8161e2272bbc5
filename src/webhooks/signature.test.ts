// Signatures, as those who receive them check them: with the libraries of Standard Webhooks and of Svix.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { isWebhookSecret, newWebhookSecret, signatureHeaders } from './signature.ts'

const event = { id: 'chg_01kbx5', type: 'ticket.created', data: { name: 'Grüße, “你好” 🙂' } }
const message = { id: event.id, body: JSON.stringify(event), now: Date.now() }

for (const [name, Library] of Object.entries({ standardwebhooks: StandardWebhook, svix: SvixWebhook })) {
  describe(`for ${name}`, () => {
    const verify = (secret: string, body: string, headers: Record<string, string>) =>
      new Library(secret).verify(body, headers)

    test('a message is genuine, and no other is', () => {
      const secret = newWebhookSecret()
      const headers = signatureHeaders([secret], message)
      assert.deepEqual(verify(secret, message.body, headers), event)
      assert.throws(() => verify(newWebhookSecret(), message.body, headers), 'another secret')
      assert.throws(() => verify(secret, `${message.body} `, headers), 'another body')
      assert.throws(() => verify(secret, message.body, { ...headers, 'webhook-id': 'chg_other' }), 'another id')
      const old = signatureHeaders([secret], { ...message, now: message.now - 600_000 })
      assert.throws(() => verify(secret, message.body, old), 'an old message')
    })

    test('both secrets sign while one replaces the other', () => {
      const [current, previous] = [newWebhookSecret(), newWebhookSecret()]
      const headers = signatureHeaders([current, previous], message)
      for (const secret of [current, previous]) assert.deepEqual(verify(secret, message.body, headers), event)
    })
  })
}

test('a secret is 24 to 64 bytes in base64 behind its prefix', () => {
  const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
  for (const good of [newWebhookSecret(), secret(24), secret(64)]) assert.ok(isWebhookSecret(good), good)
  for (const bad of [
    '',
    'whsec_',
    secret(23),
    secret(65),
    secret(32).slice(6),
    'whsec_no base64 at all, but long enough',
  ])
    assert.ok(!isWebhookSecret(bad), bad)
})
