// What records are worked on with, by requests, by the worker and by commands: it takes the whole service to know them.
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { createDestinations, type Network } from './http/safe-fetch.ts'
import type { Vault } from './identity/secrets.ts'
import type { Dependencies } from './operations/operation.ts'
import { createPdfQueue } from './rendering/pdf/pdf-queue.ts'
import { eventCatalogue } from './resources/index.ts'
import { createWebhookRules } from './webhooks/rules.ts'

export function openDependencies(
  { restOrigin, webhookPrivateNetworks }: Config,
  database: Database,
  vault: Vault,
  network?: Network,
) {
  const pdfs = createPdfQueue((orgId, maxWaitMs) => database.enterTurn('PDFs', orgId, maxWaitMs))
  const destinations = createDestinations(webhookPrivateNetworks, network)
  const webhookRules = createWebhookRules(destinations, eventCatalogue)
  const dependencies = { restOrigin, vault, pdf: pdfs.render, webhookRules } satisfies Dependencies
  return { dependencies, pdfs, destinations, close: () => pdfs.close() }
}
