// Calls between two processes over the channel that Node opens between them: a question with a name, and its answer.

/** A process of our own at the other end: `process` itself, or one that it has started. */
interface Channel {
  send?(message: object, handle: undefined, options: undefined, sent: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
}

// biome-ignore lint/suspicious/noExplicitAny: what is handed over is told by each of the two interfaces below it
type Functions<F> = { readonly [Name in keyof F]: (...given: any[]) => unknown }
/** The functions at the other end as they are seen from here. */
export type Calls<F extends Functions<F>> = {
  call<Name extends keyof F & string>(name: Name, ...given: Parameters<F[Name]>): Promise<Awaited<ReturnType<F[Name]>>>
  /** The other process has ended: nobody answers any more. */
  close(): void
}

interface Question {
  readonly call: string
  readonly id: number
  readonly given: readonly unknown[]
}

interface Answer {
  readonly answer: number
  readonly result?: unknown
  readonly error?: string
}

/** `Theirs` can be called over there, `Ours` from there. */
export function connectCalls<Theirs extends Functions<Theirs>, Ours extends Functions<Ours>>(
  channel: Channel,
  ours: Ours,
): Calls<Theirs> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0

  channel.on('message', (message) => {
    const received = message as Question | Answer
    if ('call' in received) void answer(received)
    else settle(received)
  })

  async function answer({ call, id, given }: Question): Promise<void> {
    try {
      send({ answer: id, result: await ours[call as keyof Ours](...given) })
    } catch (error) {
      send({ answer: id, error: (error as Error).message })
    }
  }

  function settle({ answer, result, error }: Answer): void {
    const asked = waiting.get(answer)
    waiting.delete(answer)
    if (error === undefined) asked?.resolve(result)
    else asked?.reject(new Error(error))
  }

  /** What cannot be handed over has lost its receiver, and with it whoever waits for an answer. */
  function send(message: Question | Answer): void {
    channel.send!(message, undefined, undefined, (error) => {
      if (error && 'id' in message) settle({ answer: message.id, error: error.message })
    })
  }

  return {
    call(name, ...given) {
      const id = ++lastId
      const asked = Promise.withResolvers<unknown>()
      waiting.set(id, asked)
      send({ call: name, id, given })
      return asked.promise as Promise<never>
    },
    close() {
      for (const id of waiting.keys()) settle({ answer: id, error: 'The other process has ended' })
    },
  }
}
