// The client of one organisation: its collections as properties, each with its methods.
import { follow } from './events.js';
import { routes } from './generated/routes.js';
import { createMethods } from './methods.js';
import { createTransport } from './transport.js';
import { verifyWebhook } from './webhooks.js';
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor makes every property that the interface names
export class Jobwright {
    /** The event that was posted to a webhook, or a `WebhookError`: `await Jobwright.verifyWebhook(body, headers, secret)`. */
    static verifyWebhook = verifyWebhook;
    constructor(options) {
        const { baseUrl, organisation, apiKey, accessToken } = options;
        if (!/\/api\/v1\/*$/.test(baseUrl))
            throw new TypeError('baseUrl must end in /api/v1');
        if (!organisation)
            throw new TypeError('organisation is required');
        if ((apiKey === undefined) === (accessToken === undefined))
            throw new TypeError('Give apiKey or accessToken');
        const transport = createTransport(options);
        for (const [name, own] of Object.entries(routes)) {
            const { stream, ...methods } = createMethods(own, transport);
            const more = stream && { follow: (query, given) => follow(transport, query, given) };
            Object.defineProperty(this, name, { value: { ...methods, ...more }, enumerable: true });
        }
    }
}
