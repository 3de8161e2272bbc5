// Checks what is posted to a webhook: signed with its secret as Standard Webhooks are, and fresh.
import { WebhookError } from './errors.js';
const toleranceSeconds = 300;
/** The event. `body` is what was posted, as it came: text that was parsed and written again is signed no more. */
export async function verifyWebhook(body, headers, secret) {
    const [id, sentAt, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => header(headers, name));
    if (!id || !sentAt || !signatures)
        throw new WebhookError('webhook-id, webhook-timestamp or webhook-signature is missing');
    if (!(Math.abs(Date.now() / 1_000 - Number(sentAt)) <= toleranceSeconds))
        throw new WebhookError('It was sent more than five minutes ago, or the clocks differ');
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const signed = new TextEncoder().encode(`${id}.${sentAt}.${text}`);
    const hmac = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', fromBase64(secret.replace(/^whsec_/, '')), hmac, false, ['verify']);
    for (const signature of signatures.split(' ')) {
        const [version, value = ''] = signature.split(',', 2);
        // One that fits is enough: while a secret is rotated there are two.
        if (version === 'v1' && isBase64(value) && (await crypto.subtle.verify(hmac, key, fromBase64(value), signed)))
            return JSON.parse(text);
    }
    throw new WebhookError('The signature does not fit the secret');
}
function header(headers, name) {
    if (headers instanceof Headers)
        return headers.get(name) ?? undefined;
    const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
    return typeof value === 'object' ? value.join(' ') : value;
}
const isBase64 = (text) => /^[A-Za-z0-9+/]+=*$/.test(text);
const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
