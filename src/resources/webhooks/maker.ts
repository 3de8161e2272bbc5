// Who makes a webhook: a key, an app, a member in the portal, or the operator on the command line.

import type { Caller } from '../../operations/caller.ts'
import { actorFor } from '../../operations/context.ts'
import type { Maker, MakerKind } from '../../webhooks/makers.ts'

const makerKinds: readonly string[] = ['key', 'app', 'member', 'operator'] satisfies readonly MakerKind[]

export function makerOf(caller: Caller): Maker & { readonly name: string } {
  const { kind, id, name } = actorFor(caller)
  if (!makerKinds.includes(kind)) throw new Error(`A webhook cannot be made by ${kind}`)
  return { kind: kind as MakerKind, id, name: name ?? kind }
}
