export class JobwrightError extends Error {
    name = 'JobwrightError';
    /** Of the answer; 0 where none came. */
    status;
    /** What is wrong, for programs: on every 403, 409 and 412, and on some 400. */
    code;
    /** What belongs to the code. */
    data;
    /** Names the request; quote it to support. */
    requestId;
    /** What a `ScopeError` asks for. */
    requiredScopes;
    constructor(status, message, refusal = {}, options) {
        super(message, options);
        this.status = status;
        this.code = refusal.code;
        this.data = refusal.data;
        this.requestId = refusal.requestId;
        this.requiredScopes = refusal.requiredScopes ?? [];
    }
}
/** 429: too many requests in this minute, and waiting did not help. */
export class RateLimitError extends JobwrightError {
    name = 'RateLimitError';
}
/** 409: a rule is in the way. `error.is('CUSTOMER_HAS_TICKETS')` tells which, and types `data`. */
export class ConflictError extends JobwrightError {
    name = 'ConflictError';
    is(code) {
        return this.code === code;
    }
}
/** 403 `insufficient_scope`: the credential lacks `requiredScopes`. */
export class ScopeError extends JobwrightError {
    name = 'ScopeError';
}
/** 404: there is no such record. */
export class NotFoundError extends JobwrightError {
    name = 'NotFoundError';
}
/** An attempt took longer than `timeoutMs`. What it asked for may have been done nevertheless. */
export class TimeoutError extends JobwrightError {
    name = 'TimeoutError';
}
/** What was posted to a webhook is not what the service signed. */
export class WebhookError extends Error {
    name = 'WebhookError';
}
/** The refusal that an answer is. What is not JSON was not said by the service, but by something before it. */
export async function toError(response) {
    const { status, headers } = response;
    const text = await response.text();
    let body = {};
    try {
        body = JSON.parse(text);
    }
    catch { }
    const message = body.error ?? `The service answered ${status}: ${text.slice(0, 200)}`;
    const refusal = { ...body, requestId: body.requestId ?? headers.get('x-request-id') ?? undefined };
    return new (classFor(status, body.code))(status, message, refusal);
}
function classFor(status, code) {
    if (status === 404)
        return NotFoundError;
    if (status === 409)
        return ConflictError;
    if (status === 429)
        return RateLimitError;
    return code === 'insufficient_scope' ? ScopeError : JobwrightError;
}
