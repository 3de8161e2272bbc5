/** The first attempt of this call is still being carried out. */
export const inProgressCode = 'IDEMPOTENCY_IN_PROGRESS';
/** What failed without an answer, and what a server or a proxy may do better in a moment. */
const retried = new Set([0, 500, 502, 503, 504]);
const firstPauseMs = 250;
const longestPauseMs = 8_000;
/** Whoever asks for more than this is told so at once, and decides. */
const longestWaitMs = 120_000;
/** How long to wait before the next attempt; undefined where there is none. `attempt` counts failures of this kind from 0. */
export function retryDelayMs({ status, code }, headers, attempt, now = Date.now()) {
    // The first attempt is still under way, and its answer is ours: once, because it may take long. Several who wait for one
    // answer must not ask for it at the same moment, or they are in each other's way again.
    if (code === inProgressCode)
        return attempt === 0 ? 1_000 + Math.random() * 500 : undefined;
    if (status === 429)
        return limited(asked(headers, now) ?? backoff(attempt));
    if (!retried.has(status))
        return undefined;
    return limited(Math.max(asked(headers, now) ?? 0, backoff(attempt)));
}
const limited = (waitMs) => (waitMs <= longestWaitMs ? waitMs : undefined);
/** Somewhere between half and all of a pause that doubles, so that many who failed together do not return together. */
function backoff(attempt) {
    const pauseMs = Math.min(firstPauseMs * 2 ** attempt, longestPauseMs);
    return pauseMs * (0.5 + Math.random() / 2);
}
function asked(headers, now) {
    const retryAfter = headers?.get('retry-after');
    if (retryAfter) {
        const seconds = Number(retryAfter);
        const waitMs = Number.isNaN(seconds) ? Date.parse(retryAfter) - now : seconds * 1_000;
        return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
    }
    const reset = headers?.get('x-ratelimit-reset');
    return reset ? Math.max(0, Number(reset) * 1_000 - now) : undefined;
}
export function sleep(ms, signal) {
    return new Promise((resolve, reject) => {
        if (signal?.aborted)
            return reject(signal.reason);
        const onAbort = () => {
            clearTimeout(timer);
            reject(signal.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
        }, ms);
        signal?.addEventListener('abort', onAbort, { once: true });
    });
}
