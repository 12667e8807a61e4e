"""What the engine finds about GPU, host, storage and rack: title, what, what to do."""

from django.utils.translation import gettext_lazy as _

from assessments.wording.text import Text

HARDWARE: dict[str, Text] = {
    # Memory
    "memory_short": Text(
        _("Not enough GPU memory"),
        _("A GPU needs %(need)s, the limit is %(limit)s: %(gap)s short."),
        _("Take a larger card, more GPUs or “%(technique)s”."),
    ),
    "memory_at_limit": Text(
        _("GPU memory is at the limit"),
        _("Likely peak %(typical)s, upper bound %(high)s, limit %(limit)s."),
        _("Run 50 steps on such a card before buying."),
    ),
    "memory_needs_techniques": Text(
        _("Fits only with memory-saving techniques"),
        _("A GPU needs %(plain)s without them, %(reduced)s with: %(techniques)s."),
        _("Check quality and speed on your own data."),
    ),
    "memory_8bit_optimizer": Text(
        _("The option relies on an 8-bit optimizer"),
        _("With the ordinary one a GPU needs %(need)s, the limit is %(limit)s."),
        _("Compare loss curves on a small model."),
    ),
    "memory_logits": Text(
        _("Logits take more than activations"),
        _("Vocabulary of %(vocab)s: logits hold %(logits)s of the %(peak)s peak."),
        _("Compute the loss in chunks."),
    ),
    # Time
    "time_latest_missed": Text(
        _("The latest time is missed"),
        _("A cycle takes %(time)s, the latest acceptable is %(latest)s."),
        _("Take %(n_gpus)s or move the date."),
    ),
    "time_wanted_missed": Text(
        _("The wanted time is missed"),
        _("%(time)s against %(wanted)s; the latest time of %(latest)s is met."),
        _("Take option %(option)s or accept the latest time."),
    ),
    "time_at_limit": Text(
        _("The time may slip"),
        _("%(typical)s is likely, %(high)s at worst; %(wanted)s wanted."),
        _("Find out: %(unknown)s."),
    ),
    "time_unreachable": Text(
        _("The time is out of reach"),
        _("%(wanted)s would take about %(n_gpus)s."),
        _("Change one thing: %(repair)s."),
    ),
    "time_months": Text(
        _("One run takes months"),
        _("%(time)s: node failures are likely on the way."),
        _("Write a checkpoint every %(interval)s, keep a spare node."),
    ),
    "time_batch_cap": Text(
        _("More GPUs will not help"),
        _("A global batch of %(batch)s spreads over %(n_gpus)s at most."),
        _("Raise the batch if convergence allows."),
    ),
    "utilisation_over": Text(
        _("The runs do not fit the quarter"),
        _("%(n_runs)s of %(time)s: %(share)s of the quarter."),
        _("Run less often or add GPUs."),
    ),
    # Interconnect, CPU, RAM
    "link_required": Text(
        _("NVLink or XGMI is required"),
        _("The layout splits layers across GPUs; over %(link)s the exchange takes %(loss)s of GPU time."),
        _("Take a platform with NVSwitch or XGMI."),
    ),
    "link_slow": Text(
        _("The intra-node link slows training"),
        _("Over %(link)s the exchange takes %(loss)s of GPU time, with %(better)s %(better_loss)s."),
        _("Take %(better)s or synchronise less often."),
    ),
    "link_enough": Text(
        _("PCIe is enough"),
        _("The exchange takes %(loss)s of GPU time."),
        "",
    ),
    "fabric_required": Text(
        _("The nodes need an RDMA fabric"),
        _("%(n_nodes)s, each with %(ports)s; the exchange takes %(loss)s of GPU time."),
        _("Design InfiniBand or RoCE separately."),
    ),
    "fabric_tcp": Text(
        _("Plain Ethernet without RDMA will not do"),
        _("The exchange between nodes takes %(loss)s of GPU time."),
        _("Fit RDMA or stay within one node."),
    ),
    "cpu_short": Text(
        _("Too few CPU cores"),
        _("A GPU needs %(need)s, it has %(have)s; %(work)s takes longest, the GPU waits %(stall)s of the time."),
        _("Take more cores, simplify augmentation or decode on the GPU."),
    ),
    "ram_short": Text(
        _("Not enough host RAM"),
        _("A node needs %(need)s, the platform takes %(have)s."),
        _("Drop offload or change the platform."),
    ),
    "ram_load_peak": Text(
        _("Loading weights needs more RAM than training"),
        _("Every process reads the whole model: %(load)s per node against %(run)s."),
        _("Load shards or load once and broadcast."),
    ),
    # Storage and checkpoints
    "storage_read_short": Text(
        _("Reading cannot keep up with the GPUs"),
        _("%(need)s needed, storage delivers %(have)s: GPUs wait %(stall)s of the time."),
        _("Fit local NVMe: %(n_drives)s."),
    ),
    "storage_iops": Text(
        _("Too many small files"),
        _("%(need)s needed, storage delivers %(have)s."),
        _("Pack the files into shards."),
    ),
    "storage_capacity": Text(
        _("The drives cannot hold the data"),
        _("Copies and checkpoints take %(need)s, the bays hold %(have)s."),
        _("Move checkpoints out or take larger drives."),
    ),
    "storage_enough": Text(
        _("Reading the dataset is no limit"),
        _("%(need)s needed, %(have)s available."),
        "",
    ),
    "storage_shared": Text(
        _("A shared file system is required"),
        _("%(n_nodes)s, %(need)s read in all."),
        _("Design storage separately."),
    ),
    "checkpoint_stall": Text(
        _("Checkpoints stall training"),
        _("Writing %(size)s takes %(time)s: %(share)s of the cycle."),
        _("Write asynchronously or to drives of %(rate)s."),
    ),
    "checkpoint_async": Text(
        _("Checkpoints are written in the background"),
        _("A copy of the state: %(ram)s per node, counted in RAM."),
        "",
    ),
    # Rack
    "rack_power_over": Text(
        _("The rack lacks power"),
        _("The peak takes %(need)s, the rack has %(have)s."),
        _("Spread over racks or raise the feed to %(feed)s."),
    ),
    "rack_power_at_limit": Text(
        _("The server takes %(share)s of the rack’s power"),
        _("%(left)s are left: too little for a second server or switches."),
        _("Agree the peak power before buying."),
    ),
    "feed_short": Text(
        _("One feed cannot carry the server"),
        _("With the other lost %(need)s are needed, the feed sustains %(have)s."),
        _("A feed of %(feed)s is needed."),
    ),
    "feed_single": Text(
        _("A single power feed"),
        _("A line failure sets training back to the last checkpoint."),
        _("Bring a feed from another line."),
    ),
    "psu_redundancy": Text(
        _("The power supplies have no redundancy"),
        _("With one feed lost they give %(have)s; %(need)s needed."),
        _("Take a build with spare supplies."),
    ),
    "cooling_over": Text(
        _("Cooling cannot remove the heat"),
        _("%(need)s released, %(have)s removed."),
        _("Strengthen cooling or spread nodes over racks."),
    ),
    "cooling_liquid_only": Text(
        _("A liquid loop is required"),
        _("%(server)s is not built for air."),
        _("Bring liquid or take an air-cooled model."),
    ),
    "units_over": Text(
        _("Not enough rack units"),
        _("%(need)s needed, %(have)s free."),
        _("Free the space or take a second rack."),
    ),
    "depth_over": Text(
        _("The chassis is deeper than the rack"),
        _("%(need)s with cabling, %(have)s available."),
        _("A deeper rack is needed."),
    ),
    "weight_over": Text(
        _("The weight exceeds the limit"),
        _("%(need)s against %(have)s allowed."),
        _("Check rack, floor and delivery route."),
    ),
    "inlet_over": Text(
        _("Inlet air is too warm"),
        _("Up to %(have)s, the server allows %(max)s."),
        _("Lower the cold-aisle temperature."),
    ),
    "rack_unknown": Text(
        _("The rack is not described"),
        _("Options are not checked against it."),
        _("Find out kW, feeds, cooling, U, depth."),
    ),
}
