// Where REST is mounted, for those who serve it and for records that hold addresses in it.

/** What the paths of REST begin with. */
export const basePath = '/api/v1'
