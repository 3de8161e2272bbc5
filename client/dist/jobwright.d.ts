import { type FollowQuery, type JobwrightEvent } from './events.js';
import type { Collections, EventsCollection } from './generated/collections.js';
import type { JobwrightOptions, Options } from './options.js';
import { verifyWebhook } from './webhooks.js';
/** In place of the stream itself, which is followed. */
export interface Events extends Omit<EventsCollection, 'stream'> {
    /**
     * What changes, as it happens: `for await (const event of jobwright.events.follow({ from: 'now' }))`. It goes on until the loop is
     * left or the signal aborted, over connections that break, without gaps.
     */
    follow(query?: FollowQuery, options?: Options): AsyncIterable<JobwrightEvent>;
}
export interface Jobwright extends Omit<Collections, 'events'> {
    readonly events: Events;
}
export declare class Jobwright {
    /** The event that was posted to a webhook, or a `WebhookError`: `await Jobwright.verifyWebhook(body, headers, secret)`. */
    static readonly verifyWebhook: typeof verifyWebhook;
    constructor(options: JobwrightOptions);
}
