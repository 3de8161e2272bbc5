// The protocol, loaded when somebody first needs it: a shop without connected apps does without it, and it takes a tenth of the
// memory and of a start.
import type Provider from 'oidc-provider'
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
      loading ??= Promise.all([import('oidc-provider'), import('./provider.ts')]).then(
        ([library, { createProvider }]) => {
          errors = library.errors
          return createProvider(dependencies)
        },
      )
      return loading
    },
    isRefusal: (error) => errors !== undefined && error instanceof errors.OIDCProviderError,
  }
}
