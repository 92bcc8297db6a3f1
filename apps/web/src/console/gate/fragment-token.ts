// Read once, when the page loads: the token behind `#` leaves the address bar at once, where it would be seen and copied.
const token = location.hash.slice(1)
if (token !== '') history.replaceState(history.state, '', location.pathname)

/** What stands behind `#` in a setup, invitation or confirmation link. It never reaches a server's log. */
export const fragmentToken = (): string => token
