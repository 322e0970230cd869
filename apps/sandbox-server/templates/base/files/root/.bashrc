# Interactive shells only: a command should not pay for a prompt.
case $- in *i*) ;; *) return ;; esac
PS1='\u@\h:\w\$ '
alias ls='ls --color=auto'
alias ll='ls -alF'
