export interface Page<T> {
    readonly items: readonly T[];
    readonly hasMore: boolean;
    /** The next page's `startAfter`. */
    readonly nextCursor: string | null;
}
/** Asks for nothing until it is used. */
export declare class List<T> implements AsyncIterable<T> {
    #private;
    constructor(read: (startAfter: string | undefined) => Promise<Page<T>>);
    /** The page that the query asks for, and how to go on. */
    page(): Promise<Page<T>>;
    toArray(): Promise<T[]>;
    [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
}
