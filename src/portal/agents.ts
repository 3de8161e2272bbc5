// How to connect an agent: the address, and entries for the programs people use.

import { connectors, placeholder } from '../api/mcp-connectors.ts'
import { html } from '../pages/html.ts'
import type { Desk } from './desk.ts'

export function agentPages(desk: Desk): void {
  const { authUrl } = desk.config
  desk.get('/agents', async (visit) => {
    const entries = connectors(authUrl)
    return visit.show({
      title: 'Connect an agent',
      section: 'agents',
      body: html`<h1>Connect an agent</h1>
<p>Agents and assistants work with ${visit.orgName} over MCP, at this address:</p>
<p class="secret"><code>${authUrl}/mcp</code></p>
<section><h2>With your sign-in</h2>
<p>Programs that know OAuth need nothing but the address: add it as a connector, and the program leads you to a page that
asks what it may do. What you allow is listed under <a href="${visit.at('/connections')}">connected apps</a>.</p></section>
<section><h2>With an API key</h2>
<p>Others are given a key. <a href="${visit.at('/keys/new?for=mcp')}">Make one for MCP</a>, with no more than the agent needs,
and put it in place of <code>${placeholder}</code>.</p>
${snippet('Claude Desktop', 'In claude_desktop_config.json.', entries['claude-desktop'])}
${snippet('Visual Studio Code', 'In .vscode/mcp.json.', entries.vscode)}
${snippet('Messages API', 'In the body of a request.', entries['messages-api'])}</section>
${!authUrl.startsWith('https:') && html`<p class="quiet">This address has no encryption: programs elsewhere will want one that begins with https.</p>`}`,
    })
  })
}

const snippet = (title: string, where: string, entry: object) =>
  html`<h3>${title}</h3><p class="hint">${where}</p><pre class="snippet" tabindex="0" role="region" aria-label="Entry for ${title}">${JSON.stringify(entry, null, 2)}</pre>`
