// Cards for hosts that show them (MCP Apps, SEP-1865): which hosts do, and what is added for those. Others see nothing of it.
import { randomUUID } from 'node:crypto'

/** A document that shows the answers of some tools; the host hands it each answer. */
export interface Card {
  readonly uri: string
  readonly name: string
  readonly title: string
  /** The operations whose answers it shows, by name. */
  readonly operations: readonly string[]
  read(): Promise<string>
}

export const cardType = 'text/html;profile=mcp-app'

const extension = 'io.modelcontextprotocol/ui'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

interface Message {
  readonly method?: unknown
  readonly params?: { readonly capabilities?: unknown; readonly _meta?: Readonly<Record<string, unknown>> }
}

const announces = (capabilities: unknown): boolean => {
  const { extensions } = (capabilities ?? {}) as { extensions?: Readonly<Record<string, { mimeTypes?: unknown }>> }
  const types = extensions?.[extension]?.mimeTypes
  return Array.isArray(types) && types.includes(cardType)
}

/** What a host of earlier revisions said when it began is remembered by the host itself, as its session: we keep none. */
const sessionPrefix = 'cards-'

export const showsCards = (message: unknown, headers: Headers): boolean =>
  announces((message as Message | undefined)?.params?._meta?.[capabilitiesKey]) ||
  (headers.get('mcp-session-id')?.startsWith(sessionPrefix) ?? false)

/** The session of a host that begins and says that it shows cards; of others there is none. */
export const cardSession = (message: unknown): string | undefined => {
  const { method, params } = (message ?? {}) as Message
  return method === 'initialize' && announces(params?.capabilities) ? sessionPrefix + randomUUID() : undefined
}

/** It reaches nobody: nothing is loaded, and no page stands in it. */
const nothingOutside = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] }

export function createCardResources(cards: readonly Card[]) {
  const byOperation = new Map(cards.flatMap((card) => card.operations.map((name) => [name, card] as const)))
  return {
    /** Beside a tool, as hosts look for it. */
    metaOf: (operation: string) => {
      const card = byOperation.get(operation)
      return card && { _meta: { ui: { resourceUri: card.uri } } }
    },
    list: cards.map(({ uri, name, title }) => ({ uri, name, title, mimeType: cardType })),
    async read(uri: string) {
      const card = cards.find((one) => one.uri === uri)
      if (!card) return undefined
      const ui = { csp: nothingOutside, prefersBorder: false }
      return { contents: [{ uri, mimeType: cardType, text: await card.read(), _meta: { ui } }] }
    },
  }
}
