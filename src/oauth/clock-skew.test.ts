// Whether a code, a token or an approval has ended is for the database's clock to say, whatever this process's shows.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { obtainCode, obtainTokens, readWithToken, redeem, refresh, register } from '../../test/oauth-app.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { person } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'

const here = await startTestService({ PORT: await freePort(), AUTHORIZE_PER_MINUTE: '1000', TOKEN_PER_MINUTE: '1000' })

for (const hours of [1, -1]) {
  test(`a clock that is ${hours} h off neither ends what lives nor revives what has ended`, async (t) => {
    const { orgId } = await here.organisation()
    const admin = await person(here, orgId)
    const [holder, waiting, late] = [await register(here), await register(here), await register(here)]
    const issued = await obtainTokens(here, holder, admin)
    const inTime = await obtainCode(here, waiting, admin, { visitor: issued.visitor })
    const tooLate = await obtainCode(here, late, admin, { visitor: issued.visitor })
    await here.database.query(sql`
      update oauth_tokens set expires_at = now() - interval '1 second'
      where grant_id in (select id from grants where client_id = ${late.client.client_id})`)
    t.after(() => mock.timers.reset())
    mock.timers.enable({ apis: ['Date'], now: Date.now() + hours * 3_600_000 })
    assert.equal((await redeem(here, waiting, inTime)).status, 200)
    assert.deepEqual((await redeem(here, late, tooLate)).body.error, 'invalid_grant')
    assert.equal((await readWithToken(here, orgId, issued.access_token)).status, 200)
    const refreshed = await refresh(here, holder, issued.refresh_token)
    assert.deepEqual([refreshed.status, refreshed.body.expires_in], [200, 3_600])
    const again = await obtainTokens(here, await register(here), admin, { visitor: issued.visitor })
    assert.equal((await readWithToken(here, orgId, again.access_token)).status, 200)
  })
}
