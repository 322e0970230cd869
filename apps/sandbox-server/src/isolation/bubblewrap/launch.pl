# Assembles the mounts of one sandbox and then becomes bubblewrap.
#
# Perl (Debian's perl-base, always installed), because Node cannot make these system calls, and one small
# program starts in half the time of the four (unshare, sh, mount, setpriv) that would do the same.
# It waits for its plan on its input: name=value, in the order of launch-plan.ts, then -- and the program to become, each
# terminated by a zero byte. A missing or truncated plan means that the server was killed or needs no launcher.
use strict;

{
    local $/ = undef;
    my $plan = readline(STDIN) // '';
    exit 0 unless $plan =~ s/\0end\0\z//;
    @ARGV = split /\0/, $plan, -1;
}
open(STDIN, '<', '/dev/null') or die "launcher: cannot open /dev/null: $!\n";

my (%plan, @cgroups, @shared, @read_only, @tools);
while (defined(my $argument = shift @ARGV)) {
    last if $argument eq '--';
    my ($name, $value) = split /=/, $argument, 2;
    if ($name eq 'cgroup') { push @cgroups, $value }
    elsif ($name eq 'shared') { push @shared, $value }
    elsif ($name eq 'readonly') { push @read_only, $value }
    elsif ($name eq 'tool') { push @tools, [split /=/, $value, 2] }
    else { $plan{$name} = $value }
}

sub fail { die "launcher: @_: $!\n" }

sub put {
    my ($file, $text) = @_;
    open(my $handle, '>', $file) or fail("cannot open $file");
    (syswrite($handle, $text) // -1) == length $text or fail("cannot write $file");
    close $handle or fail("cannot write $file");
}

# Perl passes a number as a number and a string as a pointer, so every value must have the right type.
sub call {
    my ($name, @values) = @_;
    syscall($plan{"sys.$name"} + 0, @values) == -1 and fail($name);
}

my $new_users = 0x10000000;    # CLONE_NEWUSER

# An ordinary user is root over the subordinate ids in there, and owns everything that is mounted and mapped.
sub enter_subordinate_ids {
    open(my $users, '<', $plan{users}) or fail('cannot find the namespace of subordinate ids');
    call('setns', fileno($users), $new_users);
}

# bubblewrap reports the host pid of the sandbox's pid 1 through a pipe whose other end it also holds. With a socket of the
# server it would die of SIGPIPE when the server is killed, and pid 1 would wait for it forever.
sub open_info {
    local $^F = 255;    # Not closed when we become bubblewrap.
    pipe(my $read, my $write) or fail('cannot make a pipe');
    return ($read, $write);
}

# A forked helper passes that pid on. With two ids inside it first writes the id maps of the sandbox, then enters its
# user namespace and forbids further ones in it: bubblewrap 0.8 refuses --disable-userns together with maps that are
# written from outside. The helper stays outside the cgroups, closes all descriptors that are not its own, and exits.
sub help_later {
    my ($fd, $info, $info_write) = @_;
    open(my $server, '+<&=', $fd) or fail('no line to the server');
    my $child = fork // fail('cannot fork');
    if ($child) { close $server; return }
    for (3 .. $fd - 1) {
        open(my $other, '<&=', $_) or next;
        close $other;
    }
    close $info_write;
    local $SIG{PIPE} = 'IGNORE';    # The server was killed: the sandbox then exits for lack of its settings.
    enter_subordinate_ids() if defined $plan{users};
    my ($text, $pid) = ('');
    until (($pid) = $text =~ /"child-pid":\s*(\d+)\s*[,}]/) {
        sysread($info, $text, 4096, length $text) or exit 0;    # The start has already failed.
    }
    my $process = "/proc/$pid";
    syswrite $server, "pid $pid\n";
    if (defined $plan{idmap}) {
        put("$process/uid_map", $plan{idmap});
        put("$process/gid_map", $plan{idmap});
        syswrite $server, "mapped\n";
        open(my $users, '<', "$process/ns/user") or fail('cannot find the user namespace');
        call('setns', fileno($users), $new_users);
        put('/proc/sys/user/max_user_namespaces', '0');
    }
    syswrite $server, "sealed\n";
    # Drain the pipe: pid 1 inside also holds it.
    until ($text =~ /\}/) { sysread($info, $text, 4096, length $text) or last }
    exit 0;
}

my ($bind, $rdonly, $remount, $private) = (4096, 1, 32, 0x44000);    # MS_BIND, MS_RDONLY, MS_REMOUNT, MS_REC|MS_PRIVATE

sub mount_at {
    my ($source, $target, $type, $flags, $options) = @_;
    $target eq $plan{stage} || mkdir $target or fail("cannot make $target");
    syscall($plan{'sys.mount'} + 0, $source, $target, $type, $flags, $options) == -1 and fail("cannot mount $type at $target");
}

# An earlier run may have left a link in the path that leads anywhere on the host: then nothing is mounted there.
sub make_read_only {
    my ($folder) = @_;
    my $path = "$plan{stage}/root";
    for my $name (split m{/}, $folder) {
        next if $name eq '';
        return if $name eq '..';
        $path .= "/$name";
        return if -l $path || !-d _;
    }
    my ($none, $type) = ('none', '');
    syscall($plan{'sys.mount'} + 0, $path, $path, $none, $bind, $type) == -1 and fail("cannot bind $folder");
    syscall($plan{'sys.mount'} + 0, $none, $path, $none, $bind | $remount | $rdonly, $type) == -1
        and fail("cannot protect $folder");
}

# Skips a toolchain that was uninstalled since the server started: it must not keep a sandbox from starting. bubblewrap
# makes all of them read-only.
sub mount_toolchains {
    my ($none, $base) = ('none', "$plan{stage}/toolchains");
    mount_at($plan{tools}, $base, $none, $bind, '');
    for (@tools) {
        my ($target, $source) = ("$base/$_->[0]", $_->[1]);
        next if !-d $source || !-d $target;
        my $options = '';
        syscall($plan{'sys.mount'} + 0, $source, $target, $none, $bind, $options) == -1
            and fail("cannot show the toolchain $_->[0]");
    }
}

put($plan{pid}, "$$\n");
my ($info, $info_write) = open_info();
help_later($plan{helper} + 0, $info, $info_write);
# A sandbox that could not join its cgroups must not run at all. Writing 0 means the writer itself: only then the kernel skips
# a lock whose grace period takes up to 20 ms per controller. This process has one thread, so `tasks` moves all of it.
put($_, "0\n") for @cgroups;

my ($uid, $gid) = ($<, $( + 0);
enter_subordinate_ids() if defined $plan{users};
call('unshare', $plan{namespaces} + 0);
if (!defined $plan{creator}) {
    put('/proc/self/setgroups', 'deny');
    put('/proc/self/uid_map', "0 $uid 1");
    put('/proc/self/gid_map', "0 $gid 1");
}
my ($none, $root, $empty) = ('none', '/', '');
call('mount', $none, $root, $empty, $private, 0);

# Relative names, because the options are readable inside.
chdir $plan{layers} or fail('cannot enter the layers');
# The upper folder's owner is the owner of / inside.
!defined $plan{owner} or chown($plan{owner} + 0, $plan{owner} + 0, $plan{upper}) == 1 or fail('cannot hand over the files');
mount_at('tmpfs', $plan{stage}, 'tmpfs', 0, 'mode=0755,size=1m,nr_inodes=64');
# The source has no meaning to the kernel: it names the data folder that the sandbox belongs to.
mount_at($plan{instance}, "$plan{stage}/root", 'overlay', 0, $plan{root});
mount_at('overlay', "$plan{stage}/runtime", 'overlay', $rdonly, $plan{runtime});
mount_at($plan{egress}, "$plan{stage}/egress", 'none', $bind, '') if defined $plan{egress};
mount_at($shared[$_], "$plan{stage}/shared$_", 'none', $bind, '') for 0 .. $#shared;
mount_toolchains() if defined $plan{tools};
make_read_only($_) for @read_only;
chdir '/' or fail('cannot enter /');
umask 022;

# Limits the size of a single file. The kernel enforces this one; the total is only watched.
my $limit = pack 'QQ', $plan{fsize} + 0, $plan{fsize} + 0;
call('prlimit64', 0, 1, $limit, 0);    # RLIMIT_FSIZE of this process

if (defined $plan{creator}) {
    my $creator = $plan{creator} + 0;
    call('setgroups', 0, 0);
    call('setresgid', $creator, $creator, $creator);
    call('setresuid', $creator, $creator, $creator);
}
# /proc/1/environ inside shows the environment of this moment.
%ENV = (PATH => '/usr/sbin:/usr/bin:/sbin:/bin');
splice @ARGV, 1, 0, '--info-fd', fileno($info_write);
exec { $ARGV[0] } @ARGV or fail("cannot start $ARGV[0]");
