// The protocol, loaded when somebody first needs it: a shop without connected apps does without it, and it takes a tenth of the
// memory and of a start. In pieces, so that only that request waits for it.
import type Provider from 'oidc-provider'
import { loadInPieces } from '../http/load-in-pieces.ts'
import type { ProviderDependencies } from './provider.ts'

export interface Protocol {
  load(): Promise<Provider>
  /** Whether it is one of the protocol's own refusals. */
  isRefusal(error: unknown): boolean
}

export function lazyProtocol(dependencies: ProviderDependencies): Protocol {
  let loading: Promise<Provider> | undefined
  let errors: typeof import('oidc-provider').errors | undefined
  return {
    load() {
      loading ??= loadProvider()
      return loading
    },
    isRefusal: (error) => errors !== undefined && error instanceof errors.OIDCProviderError,
  }

  async function loadProvider(): Promise<Provider> {
    await loadInPieces(import.meta.resolve('oidc-provider'))
    const [library, { createProvider }] = await Promise.all([import('oidc-provider'), import('./provider.ts')])
    errors = library.errors
    return createProvider(dependencies)
  }
}
