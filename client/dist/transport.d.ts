import type { ChangeOptions, CreateOptions, JobwrightOptions } from './options.js';
export interface Call {
    readonly method: string;
    /** Below the organisation. */
    readonly path: string;
    readonly query?: Readonly<Record<string, unknown>> | undefined;
    readonly body?: unknown;
    readonly options?: (CreateOptions & ChangeOptions) | undefined;
}
export interface Transport {
    /** Sends until it succeeds or must not be repeated; the time limit includes `read`. */
    send<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T>;
}
export declare function createTransport(settings: JobwrightOptions): Transport;
/** The version of a record that was answered, for `ifMatch`; undefined where it has none. */
export declare const etagOf: (record: object) => string | undefined;
/** What an answer holds. */
export declare function readData(response: Response): Promise<unknown>;
