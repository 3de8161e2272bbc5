import type { ConflictData } from './generated/conflicts.js';
/** What a refusal says of itself. */
export interface Refusal {
    readonly code?: string | undefined;
    readonly data?: unknown;
    readonly requiredScopes?: readonly string[] | undefined;
    readonly requestId?: string | undefined;
}
export declare class JobwrightError extends Error {
    readonly name: string;
    /** Of the answer; 0 where none came. */
    readonly status: number;
    /** What is wrong, for programs: on every 403, 409 and 412, and on some 400. */
    readonly code: string | undefined;
    /** What belongs to the code. */
    readonly data: unknown;
    /** Names the request; quote it to support. */
    readonly requestId: string | undefined;
    /** What a `ScopeError` asks for. */
    readonly requiredScopes: readonly string[];
    constructor(status: number, message: string, refusal?: Refusal, options?: ErrorOptions);
}
/** 429: too many requests in this minute, and waiting did not help. */
export declare class RateLimitError extends JobwrightError {
    readonly name = "RateLimitError";
}
export type ConflictCode = keyof ConflictData;
/** 409: a rule is in the way. `error.is('CUSTOMER_HAS_TICKETS')` tells which, and types `data`. */
export declare class ConflictError<Code extends ConflictCode = ConflictCode> extends JobwrightError {
    readonly name = "ConflictError";
    readonly code: Code;
    readonly data: ConflictData[Code];
    is<Other extends ConflictCode>(code: Other): this is ConflictError<Other>;
}
/** 403 `insufficient_scope`: the credential lacks `requiredScopes`. */
export declare class ScopeError extends JobwrightError {
    readonly name = "ScopeError";
}
/** 404: there is no such record. */
export declare class NotFoundError extends JobwrightError {
    readonly name = "NotFoundError";
}
/** An attempt took longer than `timeoutMs`. What it asked for may have been done nevertheless. */
export declare class TimeoutError extends JobwrightError {
    readonly name = "TimeoutError";
}
/** What was posted to a webhook is not what the service signed. */
export declare class WebhookError extends Error {
    readonly name = "WebhookError";
}
/** The refusal that an answer is. What is not JSON was not said by the service, but by something before it. */
export declare function toError(response: Response): Promise<JobwrightError>;
