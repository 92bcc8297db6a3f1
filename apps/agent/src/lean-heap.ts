import { setFlagsFromString } from 'node:v8'

// Bytes of files never come into the heap, and what does is small and soon forgotten. Left alone, V8 lets the room for
// new objects grow to 48 MiB of it; kept small, an agent is done with a hundred thousand files in the memory of a
// thousand. To be imported before everything else, while that room is still small.
setFlagsFromString('--semi-space-growth-factor=1')
