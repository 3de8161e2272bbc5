// Standard Webhooks: the secret of a webhook, and the headers that let its receiver tell our requests from others.
import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const secretBytes = 32

/** What the receiver keeps: 256 random bits. */
export const newWebhookSecret = (): string => prefix + randomBytes(secretBytes).toString('base64')

const secretPattern = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** 24 to 64 bytes in base64 behind the prefix. */
export function isWebhookSecret(text: string): boolean {
  const bytes = secretPattern.test(text) ? keyOf(text).length : 0
  return bytes >= 24 && bytes <= 64
}

const keyOf = (secret: string) => Buffer.from(secret.slice(prefix.length), 'base64')

export interface SignedMessage {
  /** The same each time the event is sent: the receiver knows by it what it has already. */
  readonly id: string
  readonly body: string
  /** In milliseconds since 1970. */
  readonly now: number
}

/** While a secret is being replaced there are two: the receiver is content if one of the signatures fits. */
export function signatureHeaders(secrets: readonly string[], { id, body, now }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000))
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  )
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
