export interface Tokens {
    readonly accessToken: string;
    readonly refreshToken: string;
    /** The one that the admin chose. */
    readonly organisation: string;
    /** What was granted, which may be less than was asked for. */
    readonly scope: string;
    /** When the access token ends, in milliseconds since 1970. */
    readonly expiresAt: number;
}
/** Where the tokens of one grant are kept. A refresh token works once: what is saved must be the newest. */
export interface TokenStore {
    load(): Tokens | undefined | Promise<Tokens | undefined>;
    save(tokens: Tokens | undefined): unknown;
}
export interface JobwrightOAuthOptions {
    /** The authorization server: what `/.well-known/oauth-authorization-server` calls `issuer`. */
    readonly authUrl: string;
    readonly clientId: string;
    /** Of a confidential client. */
    readonly clientSecret?: string | undefined;
    readonly redirectUri: string;
    /** In memory unless given. */
    readonly store?: TokenStore | undefined;
    readonly fetch?: typeof fetch | undefined;
}
/** What belongs to one attempt to be approved; keep it until the admin comes back. */
export interface Authorization {
    readonly url: string;
    readonly state: string;
    readonly codeVerifier: string;
}
export declare class JobwrightOAuth {
    #private;
    constructor(options: JobwrightOAuthOptions);
    /** Where to send an admin. Scopes are `read`, `write`, `full`, or single ones such as `customers:read`. */
    authorizeUrl({ scope, state }: {
        scope: string;
        state?: string;
    }): Promise<Authorization>;
    /** Tokens for what the admin approved. `callbackUrl` is the whole address that they came back to. */
    exchange(callbackUrl: string | URL, { state, codeVerifier }: Pick<Authorization, 'state' | 'codeVerifier'>): Promise<Tokens>;
    /** New tokens for old ones. However many ask at once, one request is sent. */
    refresh(): Promise<Tokens>;
    /** One that works: `new Jobwright({ …, accessToken: () => oauth.accessToken() })`. */
    accessToken(): Promise<string>;
    /** Ends the grant. */
    revoke(): Promise<void>;
}
