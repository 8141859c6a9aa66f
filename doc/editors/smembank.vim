" SPDX-FileCopyrightText: the smembank authors
" SPDX-License-Identifier: MIT
"
" The messages of smembank in the quickfix list: copy this to ~/.vim/compiler, then :compiler smembank
let current_compiler = 'smembank'
CompilerSet makeprg=smembank\ analyze
CompilerSet errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:\ %trror:\ %m,%-G%.%#
