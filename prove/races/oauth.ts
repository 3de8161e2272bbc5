// Races about apps: how many a shop registers, and codes and refresh tokens that many redeem at once.
import { registerClient } from '../../src/identity/clients.ts'
import {
  type OAuthReply,
  obtainCode,
  obtainTokens,
  readWithToken,
  redeem,
  refresh,
  register,
} from '../../test/oauth-app.ts'
import type { ServiceHandle } from '../../test/test-service.ts'
import { person } from '../../test/visitor.ts'
import { check, type Race, runConcurrently, times } from './context.ts'

/** What the instances are as places for apps; both are one authorization server. */
export type ServiceHandles = readonly ServiceHandle[]

const instanceAt = (services: ServiceHandles, index: number) => services[index % services.length]!

function expectOneWinner(replies: readonly OAuthReply[]): string[] {
  const losers = replies.filter(({ status, body }) => status === 400 && body.error === 'invalid_grant')
  const winners = replies.filter(({ status }) => status === 200)
  return check(winners.length === 1 && losers.length === replies.length - 1, 'winners, losers and all', [
    winners.length,
    losers.length,
    replies.length,
  ])
}

export const codes = (services: ServiceHandles): Race => ({
  what: 'a code that 50 redeem at once has exactly one winner',
  isWide: true,
  async prepare({ shop }) {
    const [service] = services
    const admin = await person(service!, shop.orgId)
    const app = await register(service!)
    const { visitor } = await obtainTokens(service!, app, admin)
    return async () => {
      const grant = await obtainCode(service!, app, admin, { visitor })
      return expectOneWinner(await runConcurrently(times(50, (n) => () => redeem(instanceAt(services, n), app, grant))))
    }
  },
})

export const refreshes = (services: ServiceHandles): Race => ({
  what: 'a refresh token that 50 use at once has exactly one winner, and the approval lives on',
  isWide: true,
  async prepare({ shop }) {
    const [service] = services
    const admin = await person(service!, shop.orgId)
    const app = await register(service!)
    let { refresh_token: token } = await obtainTokens(service!, app, admin)
    return async (round) => {
      const replies = await runConcurrently(times(50, (n) => () => refresh(instanceAt(services, n), app, token)))
      const winner = replies.find(({ status }) => status === 200)
      if (!winner) return expectOneWinner(replies)
      token = winner.body.refresh_token
      const { status } = await readWithToken(instanceAt(services, round), shop.orgId, winner.body.access_token)
      return [...expectOneWinner(replies), ...check(status === 200, 'a read with the new token', status)]
    }
  },
})

export const registrations: Race = {
  what: 'a shop has at most ten apps of its own, however many it registers at once',
  async prepare({ fleet }) {
    return async () => {
      const { orgId } = await fleet.createShop()
      const newClient = { name: 'Books', redirectUris: ['https://books.example/callback'] }
      // Only commands and the portal register apps; each time it is one transaction.
      const results = await Promise.allSettled(
        times(16, () => fleet.database.transaction('proof', (opened) => registerClient(opened, orgId, newClient))),
      )
      const registered = results.filter(({ status }) => status === 'fulfilled').length
      const reasons = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
      return [
        ...check(registered === 10, 'apps', registered),
        ...check(
          reasons.every((reason) => reason.includes('can have 10 apps')),
          'refusals',
          reasons,
        ),
      ]
    }
  },
}
