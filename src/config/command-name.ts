// How people call the command line: it stands in help and in what a start prints.

/** Below node_modules the package was installed by somebody who has no scripts of ours. */
export const commandName = import.meta.url.includes('/node_modules/') ? 'npx jobwright' : 'npm run -s jobwright --'
