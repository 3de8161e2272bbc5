import type { JobwrightEvent } from './events.js';
/** As `Request`, Node and others have them. */
export type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
/** The event. `body` is what was posted, as it came: text that was parsed and written again is signed no more. */
export declare function verifyWebhook(body: string | Uint8Array, headers: HeaderSource, secret: string): Promise<JobwrightEvent>;
