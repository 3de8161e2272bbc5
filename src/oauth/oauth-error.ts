// The body of an error as OAuth 2 words it.

export const oauthError = (error: string, error_description: string) => ({ error, error_description })
