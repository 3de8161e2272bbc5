// Where a page leads afterwards: a path of ours that an address carries along.

/** A path here, and nothing else: what a link carries along must not lead elsewhere. */
export const localPath = (path: string | null | undefined, fallback: string): string =>
  path && /^\/(?![/\\])[\w\-./?=&%]*$/.test(path) ? path : fallback

/** An address that goes on to another one of ours afterwards. */
export const withNext = (path: string, next: string): string => `${path}?next=${encodeURIComponent(next)}`
