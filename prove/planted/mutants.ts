// Every mutant, by subject, in three groups that can be run one at a time.
import { agreements } from './agreements.ts'
import { backup } from './backup.ts'
import { bodies } from './bodies.ts'
import { bookChangeFaults } from './book-changes.ts'
import { bookFaults } from './books.ts'
import { calendar } from './calendar.ts'
import { cardFaults } from './cards.ts'
import { client } from './client.ts'
import { credentials } from './credentials.ts'
import { deskFaults } from './desk.ts'
import { documents } from './documents.ts'
import { events } from './events.ts'
import { fairness } from './fairness.ts'
import { jobPage } from './job-page.ts'
import { jobs } from './jobs.ts'
import { limits } from './limits.ts'
import { lists } from './lists.ts'
import { machines } from './machines.ts'
import { mail } from './mail.ts'
import { money } from './money.ts'
import { moneyOut } from './money-out.ts'
import { movingIn } from './moving-in.ts'
import { movingInBounds } from './moving-in-bounds.ts'
import { movingInDocuments } from './moving-in-documents.ts'
import { movingInLists } from './moving-in-lists.ts'
import { movingInMoney } from './moving-in-money.ts'
import type { Mutant } from './mutant.ts'
import { oauth } from './oauth.ts'
import { pages } from './pages.ts'
import { photos } from './photos.ts'
import { portal } from './portal.ts'
import { processFaults } from './processes.ts'
import { recurring } from './recurring.ts'
import { reports } from './reports.ts'
import { roles } from './roles.ts'
import { scopes } from './scopes.ts'
import { settings } from './settings.ts'
import { signIn } from './sign-in.ts'
import { stock } from './stock.ts'
import { tenancy } from './tenancy.ts'
import { turns } from './turns.ts'
import { versions } from './versions.ts'
import { webhooks } from './webhooks.ts'

export interface MutantGroup {
  readonly name: string
  readonly title: string
  readonly mutants: readonly Mutant[]
}

export const mutantGroups: readonly MutantGroup[] = [
  {
    name: 'planted-callers',
    title: 'Mutation tests: tenants, callers and their limits',
    mutants: [
      ...tenancy,
      ...fairness,
      ...credentials,
      ...scopes,
      ...roles,
      ...versions,
      ...limits,
      ...bodies,
      ...turns,
      ...oauth,
      ...portal,
      ...signIn,
      ...pages,
    ],
  },
  {
    name: 'planted-shop',
    title: 'Mutation tests: the work of a shop and its money',
    mutants: [
      ...money,
      ...moneyOut,
      ...bookFaults,
      ...bookChangeFaults,
      ...jobs,
      ...deskFaults,
      ...jobPage,
      ...documents,
      ...agreements,
      ...settings,
      ...stock,
      ...reports,
      ...lists,
      ...photos,
      ...recurring,
      ...calendar,
      ...cardFaults,
    ],
  },
  {
    name: 'planted-systems',
    title: 'Mutation tests: moving in, events, machines and backups',
    mutants: [
      ...mail,
      ...machines,
      ...processFaults,
      ...events,
      ...webhooks,
      ...movingIn,
      ...movingInBounds,
      ...movingInDocuments,
      ...movingInMoney,
      ...movingInLists,
      ...client,
      ...backup,
    ],
  },
]
