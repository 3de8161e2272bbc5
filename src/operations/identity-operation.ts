// Operations of a person rather than of a credential: what they declare, for their route, OpenAPI and the reference alike.
import type { TObject } from 'typebox'

export interface IdentityOperation {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly path: `/${string}`
  /** What its path's id begins with, where there is one. */
  readonly idPrefix?: string
  /** A code of the authenticator app comes with an identity token; without authentication neither does. */
  readonly authentication: 'identity-token-and-code' | 'none'
  readonly body: TObject
  readonly isBodyRequired: boolean
  /** Where the plainest body says too little. */
  readonly exampleBody?: object
  readonly returns: TObject
}

/** One that the authorization server answers, in the form of OAuth. */
export interface OAuthOperation extends IdentityOperation {
  readonly errors: Readonly<Record<number, OAuthRefusal>>
}

export interface OAuthRefusal {
  /** When it is given. */
  readonly description: string
  readonly body: { readonly error: string; readonly error_description: string }
}
