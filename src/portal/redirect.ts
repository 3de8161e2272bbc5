// Desk and portal of a process that is not the authorization server: it leads there, or says that nobody is there.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { html } from '../http/html.ts'
import { sendPage, styleSheet } from '../http/layout.ts'

const timeoutMs = 2_000

/** A plugin: mount it without a prefix, where the role `auth` is played elsewhere. */
export async function portalRedirect(app: FastifyInstance, { config }: { config: Config }): Promise<void> {
  const { authUrl } = config
  await app.register(styleSheet)

  const lead = (path: string) => async (_request: FastifyRequest, reply: FastifyReply) => {
    const failure = await checkAuthorizationServer(authUrl)
    if (failure === undefined) return reply.redirect(`${authUrl}${path}`, 303)
    return sendPage(reply, {
      title: 'The sign-in is away',
      status: failure,
      body: html`<h1>The sign-in is away</h1>
<p>${
        failure === 504
          ? 'The authorization server, which has it, does not answer in time.'
          : 'The authorization server, which has it, cannot be reached.'
      } Try again shortly. API keys work meanwhile.</p>`,
    })
  }
  for (const path of ['/desk', '/portal']) app.route({ method: ['GET', 'POST'], url: path, handler: lead(path) })
}

/** What is the matter with it; undefined if it is there. */
async function checkAuthorizationServer(authUrl: string): Promise<502 | 504 | undefined> {
  try {
    const response = await fetch(`${authUrl}/health/live`, {
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    return response.ok ? undefined : 502
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 504 : 502
  }
}
