/** Characters that the server wants of a new password; the contract says the same. */
export const newPasswordLength = 10
