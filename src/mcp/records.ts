// Records as resources: what a client reads by its address, and is told of when it changes.
import type { Readable } from 'node:stream'
import { ResourceNotFoundError, type ServerEvent, type ServerEventBus } from '@modelcontextprotocol/server'
import type { ServiceEvent } from '../events/event.ts'
import type { EventStreams } from '../events/streams.ts'
import { fileKindOf, streamType } from '../operations/answers.ts'
import type { Caller } from '../operations/caller.ts'
import { ApiError } from '../operations/errors.ts'
import { type Execute, refuseUnlessAllowed } from '../operations/execute.ts'
import type { Operation } from '../operations/operation.ts'
import type { AuthenticatedCaller } from '../rest/guard.ts'
import { isVisible } from './tools.ts'

const scheme = 'jobwright://'

interface RecordKind {
  readonly operation: Operation
  readonly idName: string
}

/** Those that have an address of their own: `/tickets/:ticketId` is `jobwright://tickets/{ticketId}`. */
export function createRecordResources(operations: readonly Operation[], execute: Execute) {
  const kinds = new Map<string, RecordKind>()
  for (const operation of operations) {
    const [, collection, idName] = /^\/([a-z-]+)\/:(\w+)$/.exec(operation.path) ?? []
    if (operation.method === 'GET' && collection && idName && !fileKindOf(operation.returns))
      kinds.set(collection, { operation, idName })
  }

  return {
    templates: (caller: AuthenticatedCaller) =>
      [...kinds]
        .filter(([, { operation }]) => isVisible(operation, caller))
        .map(([collection, { operation, idName }]) => ({
          uriTemplate: `${scheme}${collection}/{${idName}}`,
          name: collection,
          title: operation.summary,
          mimeType: 'application/json',
        })),

    async read(uri: string, caller: Caller) {
      const [, collection = '', id = ''] = /^jobwright:\/\/([a-z-]+)\/(\w+)$/.exec(uri) ?? []
      const kind = kinds.get(collection)
      if (!kind) throw new ResourceNotFoundError(uri)
      const { operation, idName } = kind
      const { data } = await execute({ operation, params: { [idName]: id }, query: {}, body: {} }, caller).catch(
        (error: unknown) => {
          throw error instanceof ApiError && error.status === 404 ? new ResourceNotFoundError(uri) : error
        },
      )
      return { contents: [{ uri, mimeType: 'application/json', text: data }] }
    },
  }
}

export interface FollowDependencies {
  readonly operations: readonly Operation[]
  readonly execute: Execute
  readonly streams: EventStreams
}

/** The organisation's events from now on, as the caller may read them, for one `subscriptions/listen`. */
export async function followRecords(
  { operations, execute, streams }: FollowDependencies,
  caller: Caller,
  checkCaller: () => Promise<Caller | undefined>,
): Promise<ServerEventBus & { readonly stream: Readable; isFollowed(): boolean }> {
  const operation = operations.find(({ returns }) => fileKindOf(returns)?.mediaTypes.includes(streamType))!
  refuseUnlessAllowed(operation, caller)
  const { subscription } = await execute({ operation, params: {}, query: { startAfter: 'latest' }, body: {} }, caller)
  const stream = streams.open({
    caller,
    subscription: subscription!,
    async checkCaller() {
      const now = await checkCaller()
      return operation.needs.every((scope) => now?.scopes.has(scope)) ? now : undefined
    },
  })
  let isFollowed = false
  return {
    stream,
    isFollowed: () => isFollowed,
    publish() {},
    subscribe(listener) {
      isFollowed = true
      stream.setEncoding('utf8').on('data', (message: string) => {
        for (const event of changesIn(message)) listener(event)
      })
      return () => void stream.destroy()
    },
  }
}

/** What is part of a record is a change of that record. */
function* changesIn(message: string): Generator<ServerEvent> {
  for (const line of message.split('\n')) {
    if (!line.startsWith('data: ')) continue
    const { resource, recordId, parentId } = JSON.parse(line.slice('data: '.length)) as ServiceEvent
    const [collection, part] = resource.split('/')
    yield { kind: 'resource_updated', uri: `${scheme}${collection}/${part === undefined ? recordId : parentId}` }
  }
}
