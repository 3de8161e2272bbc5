// Every mutant, by subject.
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

export const mutants: readonly Mutant[] = [
  ...tenancy,
  ...fairness,
  ...credentials,
  ...scopes,
  ...roles,
  ...versions,
  ...limits,
  ...bodies,
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
  ...oauth,
  ...portal,
  ...signIn,
  ...pages,
  ...calendar,
  ...mail,
  ...turns,
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
  ...cardFaults,
  ...backup,
]
