// What a call through MCP costs the server over the same operation by REST, in CPU time of its process.
import { readFileSync } from 'node:fs'
import type { Served } from '../test/programs.ts'
import type { Organisation } from './data.ts'

const rounds = 5
const callsEach = 1_000
const atOnce = 8

export interface McpFigures {
  /** Milliseconds of CPU for one request, by the way it comes. */
  readonly restMs: number
  readonly newestMs: number
  readonly earlierMs: number
}

type Way = keyof McpFigures
interface Ask {
  readonly path: string
  readonly init: RequestInit
}

/** Undefined where the system does not tell the CPU time of another process. */
export async function mcp({ pid, port }: Served, organisation: Organisation): Promise<McpFigures | undefined> {
  if (process.platform !== 'linux') return undefined
  const customerId = organisation.customers[0]!.id
  const ways: Readonly<Record<Way, Ask>> = {
    restMs: {
      path: `/api/v1/organisations/${organisation.id}/customers/${customerId}`,
      init: { headers: { authorization: `Bearer ${organisation.key}` } },
    },
    newestMs: toolCall(organisation, customerId, '2026-07-28'),
    earlierMs: toolCall(organisation, customerId, '2025-11-25'),
  }
  const figures = new Map<Way, number[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const way of Object.keys(ways) as Way[]) {
      const before = cpuMs(pid)
      await asked(port, ways[way])
      // The first round warms up.
      if (round > 0) figures.set(way, [...(figures.get(way) ?? []), (cpuMs(pid) - before) / callsEach])
    }
  }
  const median = (way: Way) => figures.get(way)!.sort((a, b) => a - b)[Math.floor(rounds / 2)]!
  return { restMs: median('restMs'), newestMs: median('newestMs'), earlierMs: median('earlierMs') }
}

function toolCall({ key }: Organisation, customerId: string, revision: string): Ask {
  const isNewest = revision === '2026-07-28'
  const about = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    path: '/mcp',
    init: {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        ...(isNewest && { 'mcp-method': 'tools/call', 'mcp-name': 'read_operation' }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'read_operation',
          arguments: { operation: 'get_customer', arguments: { customerId } },
          ...(isNewest && { _meta: about }),
        },
      }),
    },
  }
}

async function asked(port: number, { path, init }: Ask): Promise<void> {
  const one = async () => {
    for (let call = 0; call < callsEach / atOnce; call++) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
      const text = await response.text()
      if (response.status !== 200 || text.includes('"isError":true')) throw new Error(`${path}: ${text.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

/** User and system time of a process so far; the kernel counts in hundredths of a second. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
