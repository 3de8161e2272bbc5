import type { EventData } from './generated/events.js';
import type { Event } from './generated/records.js';
import type { Options } from './options.js';
import { type Transport } from './transport.js';
export type EventType = keyof EventData;
/** An event; `event.type` tells what `data` is. */
export type JobwrightEvent<Type extends EventType = EventType> = {
    [T in Type]: Omit<Event, 'type' | 'data'> & {
        readonly type: T;
        readonly data: EventData[T];
    };
}[Type];
export interface FollowQuery {
    /** A position, which is told too, or `'now'`, which it is unless given. */
    readonly from?: number | 'now' | undefined;
    /** Types, or `ticket.*` for all of a kind. */
    readonly type?: string | readonly string[] | undefined;
    /** One collection. */
    readonly resource?: string | undefined;
    /** One record. */
    readonly recordId?: string | undefined;
}
/** Goes on until the loop is left, the signal is aborted or the service refuses; a connection that breaks is made anew. */
export declare function follow(transport: Transport, { from, ...filters }?: FollowQuery, options?: Options): AsyncGenerator<JobwrightEvent, void, undefined>;
