// What `saxen` offers, which comes without types.
declare module 'saxen' {
  export class Parser {
    on(event: 'openTag', handler: (name: string, attributes: () => Record<string, string>) => void): this
    on(event: 'text', handler: (text: string, decode: (text: string) => string) => void): this
    on(event: 'cdata', handler: (text: string) => void): this
    on(event: 'closeTag', handler: (name: string) => void): this
    on(event: 'error', handler: (error: Error) => void): this
    write(text: string): this
    end(): this
  }
}
