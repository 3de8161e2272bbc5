export interface Pace {
    /** Waits until a request may be sent. */
    turn(signal: AbortSignal | undefined): Promise<void>;
    /** Every request that had its turn ends here, with the headers of its answer if there was one. */
    done(headers: Headers | undefined): void;
}
export declare const noPace: Pace;
/** How many are left, as the last answer said; the first request goes alone, to find out. */
export declare function createPace(): Pace;
