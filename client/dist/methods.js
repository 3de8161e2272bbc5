// Makes methods of routes: arguments become the path, the body and the query in that order, options come last.
import { List } from './list.js';
import { readData } from './transport.js';
/** An object with a method for each route; what lies under a record is a function of the record's id. */
export function createMethods(routes, transport, ids = []) {
    return Object.fromEntries(Object.entries(routes).map(([name, route]) => [
        name,
        typeof route === 'string'
            ? createMethod(route, transport, ids)
            : (id) => createMethods(route, transport, [...ids, id]),
    ]));
}
function createMethod(route, transport, parentIds) {
    const [method, template, ...parts] = route.split(' ');
    const partNamed = (name) => parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
    const listKey = partNamed('list');
    const [asked, answer] = partNamed('ask')?.split(':') ?? [];
    const idCount = template.split(':').length - 1 - parentIds.length;
    return (...given) => {
        const ids = [...parentIds, ...given.splice(0, idCount)];
        const body = parts.includes('body')
            ? (given.shift() ?? {})
            : method === 'GET' || method === 'DELETE'
                ? undefined
                : {};
        const query = parts.includes('query') ? given.shift() : undefined;
        const call = {
            method,
            path: template === '/' ? '' : template.replace(/:/g, () => segment(ids.shift())),
            query: asked ? { ...query, [asked]: answer } : query,
            body,
            options: given[0],
        };
        if (listKey)
            return new List((startAfter) => readPage(transport, call, listKey, startAfter));
        return transport.send(call, parts.includes('file') ? (response) => response.blob() : readData);
    };
}
/** An empty id would lead to another address, that of the collection. */
function segment(id) {
    if ((typeof id !== 'string' || id === '') && typeof id !== 'number')
        throw new TypeError(`${id} is not an id`);
    return encodeURIComponent(id);
}
async function readPage(transport, call, listKey, startAfter) {
    const query = startAfter === undefined ? call.query : { ...call.query, startAfter };
    const data = (await transport.send({ ...call, query }, readData));
    const { hasMore, nextCursor } = data.pagination;
    return { items: data[listKey], hasMore, nextCursor };
}
