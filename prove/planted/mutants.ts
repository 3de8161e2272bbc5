// Every mutant, by subject.
import { bodies } from './bodies.ts'
import { credentials } from './credentials.ts'
import { events } from './events.ts'
import { fairness } from './fairness.ts'
import { jobs } from './jobs.ts'
import { limits } from './limits.ts'
import { machines } from './machines.ts'
import { mail } from './mail.ts'
import { money } from './money.ts'
import type { Mutant } from './mutant.ts'
import { oauth } from './oauth.ts'
import { pages } from './pages.ts'
import { photos } from './photos.ts'
import { portal } from './portal.ts'
import { recurring } from './recurring.ts'
import { scopes } from './scopes.ts'
import { stock } from './stock.ts'
import { tenancy } from './tenancy.ts'
import { turns } from './turns.ts'
import { webhooks } from './webhooks.ts'

export const mutants: readonly Mutant[] = [
  ...tenancy,
  ...fairness,
  ...credentials,
  ...scopes,
  ...limits,
  ...bodies,
  ...money,
  ...jobs,
  ...stock,
  ...photos,
  ...recurring,
  ...oauth,
  ...portal,
  ...pages,
  ...mail,
  ...turns,
  ...machines,
  ...events,
  ...webhooks,
]
