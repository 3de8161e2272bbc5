// The page that says how to connect an agent: the address, and entries for the programs people use.
import { html } from '../http/html.ts'
import { connectors, keyPlaceholder } from '../mcp/connectors.ts'
import type { PortalRequest, View } from './router.ts'

export function agentsPage(request: PortalRequest, authUrl: string): View {
  const entries = connectors(authUrl)
  return {
    title: 'Connect an agent',
    section: 'agents',
    body: html`<h1>Connect an agent</h1>
<p>Agents and assistants work with ${request.orgName} over MCP, at this address:</p>
<p class="secret"><code>${authUrl}/mcp</code></p>
<section><h2>With your sign-in</h2>
<p>Programs that know OAuth need nothing but the address: add it as a connector, and the program leads you to a page that
asks what it may do. What you allow is listed under <a href="${request.href('/connections')}">connected apps</a>.</p></section>
<section><h2>With an API key</h2>
<p>Others are given a key. <a href="${request.href('/keys/new?for=mcp')}">Make one for MCP</a>, with no more than the agent needs,
and put it in place of <code>${keyPlaceholder}</code>.</p>
${snippet('Claude Desktop', 'In claude_desktop_config.json.', entries['claude-desktop'])}
${snippet('Visual Studio Code', 'In .vscode/mcp.json.', entries.vscode)}
${snippet('Messages API', 'In the body of a request.', entries['messages-api'])}</section>
${!authUrl.startsWith('https:') && html`<p class="quiet">This address has no encryption: programs elsewhere will want one that begins with https.</p>`}`,
  }
}

const snippet = (title: string, where: string, entry: object) =>
  html`<h3>${title}</h3><p class="hint">${where}</p><pre class="snippet" tabindex="0" role="region" aria-label="Entry for ${title}">${JSON.stringify(entry, null, 2)}</pre>`
