// Whether a code, a token or an approval has ended is for the database's clock to say, whatever this process's shows.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { code, read, redeem, refresh, register, tokens } from '../../test/oauth-app.ts'
import { freePort } from '../../test/programs.ts'
import { person } from '../../test/visitor.ts'
import { world } from '../../test/world.ts'
import { sql } from '../database.ts'

const here = await world({ PORT: await freePort(), AUTHORIZE_PER_MINUTE: '1000', TOKEN_PER_MINUTE: '1000' })

for (const hours of [1, -1]) {
  test(`a clock that is ${hours} h off neither ends what lives nor revives what has ended`, async (t) => {
    const { orgId } = await here.organisation()
    const admin = await person(here, orgId)
    const [holder, waiting, late] = [await register(here), await register(here), await register(here)]
    const held = await tokens(here, holder, admin)
    const inTime = await code(here, waiting, admin, { visitor: held.visitor })
    const tooLate = await code(here, late, admin, { visitor: held.visitor })
    await here.database.query(sql`
      update oauth_tokens set expires_at = now() - interval '1 second'
      where grant_id in (select id from grants where client_id = ${late.client.client_id})`)
    t.after(() => mock.timers.reset())
    mock.timers.enable({ apis: ['Date'], now: Date.now() + hours * 3_600_000 })
    assert.equal((await redeem(here, waiting, inTime)).status, 200)
    assert.deepEqual((await redeem(here, late, tooLate)).body.error, 'invalid_grant')
    assert.equal((await read(here, orgId, held.access_token)).status, 200)
    const refreshed = await refresh(here, holder, held.refresh_token)
    assert.deepEqual([refreshed.status, refreshed.body.expires_in], [200, 3_600])
    const again = await tokens(here, await register(here), admin, { visitor: held.visitor })
    assert.equal((await read(here, orgId, again.access_token)).status, 200)
  })
}
