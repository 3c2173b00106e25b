/** The words of npm when the registry cannot be reached and its cache does not hold a package. */
export const offline = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|npm error network/
