// Races about apps: how many a shop registers, and codes and refresh tokens that many redeem at once.
import { registerClient } from '../../src/identity/clients.ts'
import { code, type OAuthReply, read, redeem, refresh, register, tokens } from '../../test/oauth-app.ts'
import { person } from '../../test/visitor.ts'
import type { Site } from '../../test/world.ts'
import { expect, type Race, times, together } from './ring.ts'

/** What the instances are as places for apps; both are one authorization server. */
export type Places = readonly Site[]

const either = (places: Places, index: number) => places[index % places.length]!

function oneWinner(replies: readonly OAuthReply[]): string[] {
  const losers = replies.filter(({ status, body }) => status === 400 && body.error === 'invalid_grant')
  const winners = replies.filter(({ status }) => status === 200)
  return expect(winners.length === 1 && losers.length === replies.length - 1, 'winners, losers and all', [
    winners.length,
    losers.length,
    replies.length,
  ])
}

export const codes = (places: Places): Race => ({
  what: 'a code that 50 redeem at once has exactly one winner',
  isWide: true,
  async begin({ shop }) {
    const [place] = places
    const admin = await person(place!, shop.orgId)
    const app = await register(place!)
    const { visitor } = await tokens(place!, app, admin)
    return async () => {
      const grant = await code(place!, app, admin, { visitor })
      return oneWinner(await together(times(50, (n) => () => redeem(either(places, n), app, grant))))
    }
  },
})

export const refreshes = (places: Places): Race => ({
  what: 'a refresh token that 50 use at once has exactly one winner, and the approval lives on',
  isWide: true,
  async begin({ shop }) {
    const [place] = places
    const admin = await person(place!, shop.orgId)
    const app = await register(place!)
    let { refresh_token: token } = await tokens(place!, app, admin)
    return async (round) => {
      const replies = await together(times(50, (n) => () => refresh(either(places, n), app, token)))
      const winner = replies.find(({ status }) => status === 200)
      if (!winner) return oneWinner(replies)
      token = winner.body.refresh_token
      const { status } = await read(either(places, round), shop.orgId, winner.body.access_token)
      return [...oneWinner(replies), ...expect(status === 200, 'a read with the new token', status)]
    }
  },
})

export const registrations: Race = {
  what: 'a shop has at most ten apps of its own, however many it registers at once',
  async begin({ fleet }) {
    return async () => {
      const { orgId } = await fleet.shop()
      const wish = { name: 'Books', redirectUris: ['https://books.example/callback'] }
      // Only commands and the portal register apps; each time it is one transaction.
      const results = await Promise.allSettled(
        times(16, () => fleet.database.transaction((opened) => registerClient(opened, orgId, wish))),
      )
      const made = results.filter(({ status }) => status === 'fulfilled').length
      const reasons = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
      return [
        ...expect(made === 10, 'apps', made),
        ...expect(
          reasons.every((reason) => reason.includes('can have 10 apps')),
          'refusals',
          reasons,
        ),
      ]
    }
  },
}
