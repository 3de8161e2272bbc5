import type { JobwrightError } from './errors.js';
/** The first attempt of this call is still being carried out. */
export declare const inProgressCode = "IDEMPOTENCY_IN_PROGRESS";
/** How long to wait before the next attempt; undefined where there is none. `attempt` counts failures of this kind from 0. */
export declare function retryDelayMs({ status, code }: JobwrightError, headers: Headers | undefined, attempt: number, now?: number): number | undefined;
export declare function sleep(ms: number, signal?: AbortSignal | undefined): Promise<void>;
