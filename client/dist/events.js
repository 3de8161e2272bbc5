// Follows what changes: the stream of events, taken up where it broke off, without gaps.
import { JobwrightError } from './errors.js';
import { retryDelayMs, sleep } from './retries.js';
import { readData } from './transport.js';
/** The service says something every 15 seconds: a connection that is silent for longer is none. */
const silenceMs = 60_000;
/** Goes on until the loop is left, the signal is aborted or the service refuses; a connection that breaks is made anew. */
export async function* follow(transport, { from = 'now', ...filters } = {}, options = {}) {
    let start = from === 'now' ? await currentEnd(transport, options) : { from };
    for (let failures = 0;; failures++) {
        const connection = new AbortController();
        const signal = options.signal ? AbortSignal.any([options.signal, connection.signal]) : connection.signal;
        try {
            const call = { method: 'GET', path: '/events/stream', query: { ...filters, ...start } };
            const body = await transport.send({ ...call, options: { ...options, signal } }, async (response) => response.body);
            for await (const { id, data } of readMessages(body, connection)) {
                failures = 0;
                start = { startAfter: id };
                yield JSON.parse(data);
            }
        }
        catch (error) {
            options.signal?.throwIfAborted();
            if (error instanceof JobwrightError && retryDelayMs(error, undefined, 0) === undefined)
                throw error;
        }
        finally {
            connection.abort();
        }
        await sleep(Math.min(500 * 2 ** failures, 30_000), options.signal);
    }
}
/** Where the feed ends now: a name for it that still holds after a connection broke before the first event. */
async function currentEnd(transport, options) {
    const call = { method: 'GET', path: '/events', query: { startAfter: 'latest' }, options };
    const { pagination } = (await transport.send(call, readData));
    return pagination.nextCursor === null ? {} : { startAfter: pagination.nextCursor };
}
/** Server-Sent Events, as far as the service uses them. */
async function* readMessages(body, connection) {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
        const timer = setTimeout(() => connection.abort(), silenceMs);
        const { done, value } = await reader.read().finally(() => clearTimeout(timer));
        if (done)
            return;
        text += decoder.decode(value, { stream: true });
        const parts = text.split('\n\n');
        text = parts.pop();
        for (const part of parts) {
            const [, id, data] = /^id: (\S+)\ndata: (.*)$/m.exec(part) ?? [];
            if (id !== undefined)
                yield { id, data: data };
        }
    }
}
