// A list: all of its records one by one, a page at a time behind the scenes, or one page with its cursor.
/** Asks for nothing until it is used. */
export class List {
    #read;
    constructor(read) {
        this.#read = read;
    }
    /** The page that the query asks for, and how to go on. */
    page() {
        return this.#read(undefined);
    }
    async toArray() {
        const all = [];
        for await (const item of this)
            all.push(item);
        return all;
    }
    async *[Symbol.asyncIterator]() {
        let cursor;
        do {
            const page = await this.#read(cursor);
            yield* page.items;
            cursor = page.hasMore ? (page.nextCursor ?? undefined) : undefined;
        } while (cursor !== undefined);
    }
}
